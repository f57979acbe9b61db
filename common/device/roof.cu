#include "device/roof.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "device/backend.h"
#include "device/buffer.h"
#include "device/info.h"
#include "device/l2_flush.h"
#include "device/stopwatch.h"
#include "device/stream.h"

namespace device {
namespace {

constexpr int kThreads = 256;

struct Arrays {
  const float4* in[2];
  float4* out;
  float* never;  // what keeps the compiler from dropping a read-only kernel
  std::size_t count;
};

__device__ float4 add(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Each thread moves kUnroll vectors of each array, a block's width apart; the loads come first so
// that all of them are in flight at once.
template <int kReads, int kWrites, int kUnroll>
__global__ void traffic_kernel(Arrays arrays) {
  static_assert(kReads <= 2 && kWrites <= 1);
  const std::size_t first = std::size_t{blockIdx.x} * kThreads * kUnroll + threadIdx.x;
  float4 value[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::size_t i = first + std::size_t{kThreads} * u;
    value[u] = make_float4(0, 0, 0, 0);
    if (i >= arrays.count) continue;
    if constexpr (kReads > 0) value[u] = arrays.in[0][i];
    if constexpr (kReads > 1) value[u] = add(value[u], arrays.in[1][i]);
  }
  float4 total = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::size_t i = first + std::size_t{kThreads} * u;
    if constexpr (kWrites > 0) {
      if (i < arrays.count) arrays.out[i] = value[u];
    } else {
      total = add(total, value[u]);
    }
  }
  if constexpr (kWrites == 0) {
    // The arrays hold zeros.
    if (total.x + total.y + total.z + total.w != 0.0f) *arrays.never = total.x;
  }
}

constexpr int kFmasPerThread = kIsCpu ? 1024 : 131072;

// Chains of multiply-adds, each of which waits for its last one only: kChains of them are under way
// at once.
template <int kChains, int kUnroll>
__global__ void ffma_kernel(float factor, float* never) {
  float chain[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) chain[c] = static_cast<float>(threadIdx.x + c);
#pragma unroll kUnroll
  for (int i = 0; i < kFmasPerThread / kChains; ++i) {
#pragma unroll
    for (int c = 0; c < kChains; ++c) chain[c] = fmaf(chain[c], factor, factor);
  }
  float total = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) total += chain[c];
  // With a factor of a half no chain can reach this.
  if (total > 1e30f) *never = total;
}

bool is_faster(const Timing& a, const Timing& b) { return a.median_ms < b.median_ms; }

constexpr std::size_t kWarmup = 3;
// The median of a few short launches varies by a percent or two: they are repeated more often.
constexpr double kLeastRepeats = 20, kMostRepeats = 100;
constexpr double kEnoughMs = 20;

template <class Launch>
Timing time(L2Flush& flush, Launch launch) {
  const Stream stream;
  Stopwatch watch(stream.get());
  const auto run = [&](std::size_t launches) {
    for (std::size_t i = 0; i < launches; ++i) {
      flush(stream.get());
      watch.time([&] {
        launch(stream.get());
        CUDA_CHECK(cudaGetLastError());
      });
    }
  };
  if (kIsCpu) {
    run(1);
    return watch.timing();
  }
  run(kWarmup);
  const double enough = kEnoughMs / watch.timing().median_ms;
  const auto repeats = static_cast<std::size_t>(std::clamp(enough, kLeastRepeats, kMostRepeats));
  const auto probe = [&] {
    watch.reset();
    run(repeats);
    return watch.timing();
  };
  // Undisturbed launches of a probe lie closer together than this: where they don't, something else
  // uses the GPU, and the probe is repeated.
  constexpr double kSteady = 1.05;
  constexpr int kProbes = 5;
  Timing best = probe();
  for (int i = 1; i < kProbes && best.median_ms > kSteady * best.min_ms; ++i) {
    best = std::min(best, probe(), is_faster);
  }
  return best;
}

template <int kReads, int kWrites>
Timing fastest_traffic(const Arrays& arrays) {
  L2Flush flush(kWrites > 0 ? Lines::modified : Lines::clean);
  const auto timing = [&]<int kUnroll>() {
    constexpr std::size_t kPerBlock = std::size_t{kThreads} * kUnroll;
    const auto blocks = static_cast<unsigned>((arrays.count + kPerBlock - 1) / kPerBlock);
    return time(flush, [&](cudaStream_t stream) {
      traffic_kernel<kReads, kWrites, kUnroll><<<blocks, kThreads, 0, stream>>>(arrays);
    });
  };
  return std::min({timing.template operator()<1>(), timing.template operator()<2>(),
                   timing.template operator()<4>(), timing.template operator()<8>()},
                  is_faster);
}

Timing fastest_traffic(int reads, int writes, const Arrays& arrays) {
  if (reads == 1 && writes == 0) return fastest_traffic<1, 0>(arrays);
  if (reads == 0 && writes == 1) return fastest_traffic<0, 1>(arrays);
  if (reads == 1 && writes == 1) return fastest_traffic<1, 1>(arrays);
  if (reads == 2 && writes == 1) return fastest_traffic<2, 1>(arrays);
  throw std::invalid_argument("no bandwidth probe reads " + std::to_string(reads) +
                              " arrays and writes " + std::to_string(writes));
}

}  // namespace

std::size_t bandwidth_probe_bytes() {
  constexpr std::size_t kMost = std::size_t{4} << 30;
  constexpr std::size_t kCpu = std::size_t{1} << 20;
  return kIsCpu ? kCpu : std::min(kMost, free_memory() / 4);
}

double Roof::rate() const { return work / (timing.median_ms * 1e6); }

Roof measure_bandwidth(int reads, int writes, std::size_t bytes_per_array) {
  const std::size_t count = bytes_per_array / sizeof(float4);
  const auto filled = [&](bool used) {
    auto buffer = std::make_unique<Buffer<float4>>(used ? count : 0);
    CUDA_CHECK(cudaMemset(buffer->data(), 0, buffer->size() * sizeof(float4)));
    return buffer;
  };
  const auto a = filled(reads > 0), b = filled(reads > 1), out = filled(writes > 0);
  const Buffer<float> never(1);
  return {.work = static_cast<double>(count * sizeof(float4)) * (reads + writes),
          .timing = fastest_traffic(reads, writes,
                                    {{a->data(), b->data()}, out->data(), never.data(), count})};
}

Roof measure_ffma() {
  int current = 0;
  CUDA_CHECK(cudaGetDevice(&current));
  // Enough for several full waves, whatever the occupancy is.
  const int blocks = kIsCpu ? 1 : 32 * info(current).multiprocessors;
  const Buffer<float> never(1);
  L2Flush flush(Lines::clean);
  const auto timing = [&]<int kChains, int kUnroll>() {
    return time(flush, [&](cudaStream_t stream) {
      ffma_kernel<kChains, kUnroll><<<blocks, kThreads, 0, stream>>>(0.5f, never.data());
    });
  };
  return {
      .work = 2.0 * blocks * kThreads * kFmasPerThread,
      .timing = std::min({timing.template operator()<4, 32>(), timing.template operator()<8, 16>(),
                          timing.template operator()<8, 32>()},
                         is_faster)};
}

}  // namespace device
