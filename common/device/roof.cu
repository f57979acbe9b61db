#include "device/roof.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "device/backend.h"
#include "device/buffer.h"
#include "device/event.h"
#include "device/info.h"
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

constexpr int kChains = 8;
constexpr int kFmasPerChain = 4096;

__global__ void ffma_kernel(float factor, float* never) {
  float chain[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) chain[c] = static_cast<float>(threadIdx.x + c);
#pragma unroll 16
  for (int i = 0; i < kFmasPerChain; ++i) {
#pragma unroll
    for (int c = 0; c < kChains; ++c) chain[c] = fmaf(chain[c], factor, factor);
  }
  float total = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) total += chain[c];
  // With a factor of a half no chain can reach this.
  if (total > 1e30f) *never = total;
}

// The shortest of several launches: a roof is the best that was seen.
template <class Launch>
double shortest_ms(const Stream& stream, int launches, Launch launch) {
  Event start, stop;
  double best = 0;
  for (int i = 0; i <= launches; ++i) {
    start.record(stream.get());
    launch();
    CUDA_CHECK(cudaGetLastError());
    stop.record(stream.get());
    stop.synchronize();
    const double ms = stop.ms_since(start);
    if (i == 1 || (i > 1 && ms < best)) best = ms;  // the first one warms up
  }
  return best;
}

template <int kReads, int kWrites>
double fastest_traffic_ms(const Arrays& arrays) {
  const Stream stream;
  const auto time = [&]<int kUnroll>() {
    constexpr std::size_t kPerBlock = std::size_t{kThreads} * kUnroll;
    const auto blocks = static_cast<unsigned>((arrays.count + kPerBlock - 1) / kPerBlock);
    return shortest_ms(stream, kIsCpu ? 1 : 10, [&] {
      traffic_kernel<kReads, kWrites, kUnroll><<<blocks, kThreads, 0, stream.get()>>>(arrays);
    });
  };
  return std::min({time.template operator()<1>(), time.template operator()<2>(),
                   time.template operator()<4>(), time.template operator()<8>()});
}

double fastest_traffic_ms(int reads, int writes, const Arrays& arrays) {
  if (reads == 1 && writes == 0) return fastest_traffic_ms<1, 0>(arrays);
  if (reads == 0 && writes == 1) return fastest_traffic_ms<0, 1>(arrays);
  if (reads == 1 && writes == 1) return fastest_traffic_ms<1, 1>(arrays);
  if (reads == 2 && writes == 1) return fastest_traffic_ms<2, 1>(arrays);
  throw std::invalid_argument("no bandwidth probe reads " + std::to_string(reads) +
                              " arrays and writes " + std::to_string(writes));
}

}  // namespace

std::size_t bandwidth_probe_bytes() {
  constexpr std::size_t kMost = std::size_t{4} << 30;
  constexpr std::size_t kCpu = std::size_t{1} << 20;
  return kIsCpu ? kCpu : std::min(kMost, free_memory() / 4);
}

double measure_bandwidth(int reads, int writes, std::size_t bytes_per_array) {
  const std::size_t count = bytes_per_array / sizeof(float4);
  const auto filled = [&](bool used) {
    auto buffer = std::make_unique<Buffer<float4>>(used ? count : 0);
    CUDA_CHECK(cudaMemset(buffer->data(), 0, buffer->size() * sizeof(float4)));
    return buffer;
  };
  const auto a = filled(reads > 0), b = filled(reads > 1), out = filled(writes > 0);
  const Buffer<float> never(1);
  const double ms =
      fastest_traffic_ms(reads, writes, {{a->data(), b->data()}, out->data(), never.data(), count});
  const double bytes = static_cast<double>(count * sizeof(float4)) * (reads + writes);
  return bytes / (ms * 1e6);
}

double measure_ffma() {
  int current = 0;
  CUDA_CHECK(cudaGetDevice(&current));
  // Enough for several full waves, whatever the occupancy is.
  const int blocks = kIsCpu ? 1 : 32 * info(current).multiprocessors;
  const Stream stream;
  const Buffer<float> never(1);
  const double ms = shortest_ms(stream, kIsCpu ? 1 : 10, [&] {
    ffma_kernel<<<blocks, kThreads, 0, stream.get()>>>(0.5f, never.data());
  });
  const double fmas = static_cast<double>(blocks) * kThreads * kChains * kFmasPerChain;
  return 2 * fmas / (ms * 1e6);
}

}  // namespace device
