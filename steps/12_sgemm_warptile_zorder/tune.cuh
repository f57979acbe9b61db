// `--tune`: measures what each choice of tiles costs on this GPU, and prints it as the lines of
// kTunedTiles. Included by main.cu.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "device/backend.h"
#include "device/buffer.h"
#include "device/check.h"
#include "device/info.h"
#include "device/l2_flush.h"
#include "device/stopwatch.h"
#include "device/stream.h"
#include "harness/options.h"
#include "sgemm_tuned.cuh"

// Anything but equal numbers: the clock of a GPU depends on how many bits change.
__global__ void fill_kernel(float* x, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) x[i] = static_cast<float>(static_cast<unsigned>(i) * 2654435761u) / 0x1p31f - 1.0f;
}

class Tuner {
 public:
  void run() {
    std::vector<TunedTiles> tuned;
    for (const TunedTiles& tiles : kTunedTiles) {
      if (tiles.shared_bytes <= gpu_.shared_bytes) tuned.push_back(measure_costs(tiles));
    }
    int current = 0;
    CUDA_CHECK(cudaGetDevice(&current));
    std::printf("// Measured on an %s.\n", device::info(current).name.c_str());
    for (const TunedTiles& t : tuned) {
      std::printf("    tuned_tiles<%s>(\"%s\", %.1f, %.1f, %.1f, %.1f),\n", t.name, t.name,
                  t.start_us, t.first_ns, t.next_ns, t.share_us);
    }
    std::printf("\nWhat these lines choose, and what would have been the fastest:\n");
    std::printf("%20s  %-22s %9s  %-22s %9s\n", "M x N x K", "chosen", "us", "fastest", "us");
    constexpr int kShapes[][3] = {{512, 512, 512},    {1024, 1024, 1024}, {1500, 1500, 1500},
                                  {2048, 2048, 2048}, {3000, 3000, 3000}, {4096, 4096, 4096},
                                  {8192, 256, 8192},  {256, 256, 65536},  {8192, 8192, 8192}};
    for (const auto& [M, N, K] : kShapes) compare(tuned, M, N, K);
  }

 private:
  // Times grids that fill every SM alike, chosen so that only one cost is still unknown.
  TunedTiles measure_costs(TunedTiles tiles) {
    // SMs as a rectangle of tiles, as square as can be.
    int wide = static_cast<int>(std::sqrt(gpu_.sms));
    while (gpu_.sms % wide != 0) --wide;
    const int M = gpu_.sms / wide * tiles.BM;
    const int N = wide * tiles.BN;
    constexpr int kShort = 1024, kLong = 3072, kTurns = 4;
    const double short_us = time_us(tiles, M, N, kShort, false);
    const double long_us = time_us(tiles, M, N, kLong, false);
    const double turns_us = time_us(tiles, M, N * kTurns, kLong, false);
    const double shared_us = time_us(tiles, M * kTurns + tiles.BM, N, kLong, true);
    tiles.first_ns = 1000 * (long_us - short_us) / (kLong - kShort);
    tiles.start_us = short_us - kShort * tiles.first_ns / 1000;
    tiles.next_ns = 1000 * (turns_us - long_us) / (kLong * (kTurns - 1));
    tiles.share_us = 0;
    tiles.share_us = std::max(
        0.0, shared_us - expected_us(tiles, gpu_.sms, M * kTurns + tiles.BM, N, kLong, true));
    return tiles;
  }

  void compare(std::span<const TunedTiles> tuned, int M, int N, int K) {
    double best_us = std::numeric_limits<double>::infinity(), chosen_us = best_us;
    TunedChoice best{nullptr, false};
    const TunedChoice choice = choose_tiles(tuned, gpu_, M, N, K);
    for (const TunedTiles& tiles : tuned) {
      for (const bool share : {false, true}) {
        if (M < tiles.BM || N < tiles.BN) continue;
        const double us = time_us(tiles, M, N, K, share);
        if (us < best_us) {
          best_us = us;
          best = {&tiles, share};
        }
        if (&tiles == choice.tiles && share == choice.share) chosen_us = us;
      }
    }
    char shape[40];
    std::snprintf(shape, sizeof shape, "%d x %d x %d", M, N, K);
    const auto print = [](const TunedChoice& c, double us) {
      std::printf("  %-10s %-11s %9.1f", c.tiles->name, c.share ? "dealt out" : "", us);
    };
    std::printf("%20s", shape);
    print(choice, chosen_us);
    print(best, best_us);
    std::printf("\n");
  }

  double time_us(const TunedTiles& tiles, int M, int N, int K, bool share) {
    const float* const A = operand(0, std::size_t(M) * K);
    const float* const B = operand(1, std::size_t(K) * N);
    float* const C = operand(2, std::size_t(M) * N);
    constexpr int kWarmups = 1, kRepeats = 7;
    for (int i = 0; i < kWarmups + kRepeats; ++i) {
      if (i == kWarmups) stopwatch_.reset();
      flush_(stream_.get());
      stopwatch_.time([&] {
        tiles.launch_aligned(A, B, C, M, N, K, share, stream_.get());
        CUDA_CHECK(cudaGetLastError());
      });
    }
    return 1000 * stopwatch_.timing().median_ms;
  }

  // An array of n floats or more.
  float* operand(int i, std::size_t n) {
    if (arrays_[i] == nullptr || arrays_[i]->size() < n) {
      arrays_[i].reset();
      arrays_[i] = std::make_unique<device::Buffer<float>>(n);
      constexpr int kBlockSize = 256;
      const auto blocks = static_cast<unsigned>((n + kBlockSize - 1) / kBlockSize);
      fill_kernel<<<blocks, kBlockSize, 0, stream_.get()>>>(arrays_[i]->data(), n);
    }
    return arrays_[i]->data();
  }

  const Gpu gpu_ = current_gpu();
  device::Stream stream_;
  device::L2Flush flush_{device::Lines::modified};
  device::Stopwatch stopwatch_{stream_.get()};
  std::unique_ptr<device::Buffer<float>> arrays_[3];
};

inline void tune() {
  if (device::kIsCpu) {
    throw harness::UsageError("--tune: measures a GPU; allowed: on the cuda backend");
  }
  Tuner().run();
}
