// The measurements behind tune.h; compiled with the kernels (../ladder.py).
#pragma once

#include "tune.h"

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
#include "host/command_line.h"
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
      if (tiles.in_panels && !gpu_.bulk_copies) continue;
      if (tiles.shared_bytes <= gpu_.shared_bytes) tuned.push_back(measure_costs(tiles));
    }
    int current = 0;
    CUDA_CHECK(cudaGetDevice(&current));
    std::printf("// Measured on an %s.\n", device::info(current).name.c_str());
    for (const TunedTiles& t : tuned) print_line(t);
    print_resize();
    std::printf("\nWhat these lines choose, and what would have been the fastest:\n");
    std::printf("%18s  %-22s %9s  %-22s %9s\n", "M x N x K", "chosen", "us", "fastest", "us");
    constexpr int kShapes[][3] = {{256, 256, 256},    {512, 512, 512},    {1024, 1024, 1024},
                                  {1500, 1500, 1500}, {2048, 2048, 2048}, {3000, 3000, 3000},
                                  {4096, 4096, 4096}, {8192, 8192, 8192}, {8192, 256, 8192},
                                  {256, 256, 65536},  {33, 5000, 5000},   {4096, 64, 4096},
                                  {4096, 127, 4096},  {127, 127, 4096},   {1, 4096, 4096},
                                  {4096, 1, 4096},    {16, 16, 16},       {2048, 2048, 7}};
    for (const auto& [M, N, K] : kShapes) compare(tuned, M, N, K);
  }

 private:
  static void print_line(const TunedTiles& t) {
    const TileCosts& c = t.costs;
    std::printf("%-12s  {%.1f, %.1f, %.1f, %.1f, %.1f, %.1f, %.1f, %.0f}\n", t.name, c.start_us,
                c.first_ns, c.next_ns, c.turn_us, c.share_us, c.alone_us, c.unaligned_us,
                c.bytes_per_ns);
  }

  void print_resize() {
    constexpr MatrixSize kOne{1, 1}, kLarge{4096, 8192};
    const auto time_resize = [&](MatrixSize size) {
      const float* const in = operand(0, size.elements());
      float* const out = operand(2, size.elements());
      return time_us([&] { resize(in, size, out, size, stream_.get()); });
    };
    const double one_us = time_resize(kOne), large_us = time_resize(kLarge);
    std::printf("inline constexpr double kResizeUs = %.1f, kResizePsPerFloat = %.1f;\n", one_us,
                1e6 * (large_us - one_us) / kLarge.elements());
  }

  // Times grids that fill every SM alike, chosen so that only one cost is still unknown.
  TunedTiles measure_costs(TunedTiles tiles) {
    // SMs as a rectangle of tiles, as square as can be.
    int wide = static_cast<int>(std::sqrt(gpu_.sms));
    while (gpu_.sms % wide != 0) --wide;
    const int M = gpu_.sms / wide * tiles.BM;
    const int N = wide * tiles.BN;
    constexpr int kShort = 1024, kLong = 3072, kTurns = 4, kLater = kTurns - 1;
    const auto time = [&](bool share, int m, int n, int k) {
      const TunedChoice choice = choice_of(tiles, share, gpu_.sms, m, n, k);
      return time_product(choice) - choice.panels_us();
    };
    TileCosts& costs = tiles.costs;
    const double short_us = time(false, M, N, kShort), long_us = time(false, M, N, kLong);
    costs.first_ns = 1000 * (long_us - short_us) / (kLong - kShort);
    costs.start_us = short_us - kShort * costs.first_ns / 1000;
    const double later_short_us = (time(false, M, N * kTurns, kShort) - short_us) / kLater;
    const double later_long_us = (time(false, M, N * kTurns, kLong) - long_us) / kLater;
    costs.next_ns = 1000 * (later_long_us - later_short_us) / (kLong - kShort);
    costs.turn_us = std::max(0.0, later_short_us - kShort * costs.next_ns / 1000);
    const int few = tiles.whole_slices ? tiles.BK : 4;  // steps, in less time than the bytes
    const double large_M = M * kTurns, large_N = N * kTurns;
    const double bytes = sizeof(float) * (large_M * large_N + few * (large_M + large_N));
    costs.bytes_per_ns = bytes / (1000 * time(false, M * kTurns, N * kTurns, few));
    costs.share_us = costs.alone_us = costs.unaligned_us = 0;
    if (!tiles.aligned_only)
      costs.unaligned_us = std::max(0.0, time(false, M, N - 1, kShort) - short_us);
    if (!tiles.shares) return tiles;
    // The time of a shared choice beyond its estimate, which leaves out the cost of sharing.
    const auto rest_us = [&](int m, int n, int k) {
      const TunedChoice shared = choice_of(tiles, true, gpu_.sms, m, n, k);
      return std::max(0.0, time_product(shared) - shared.expected_us(gpu_.sms));
    };
    const double share_us = rest_us(M * kTurns + tiles.BM, N, kLong);
    const double alone_us = rest_us(M / kTurns / tiles.BM * tiles.BM, N, kShort);
    costs.share_us = share_us;
    costs.alone_us = alone_us;
    return tiles;
  }

  void compare(std::span<const TunedTiles> tuned, int M, int N, int K) {
    const TunedChoice chosen = choose_tiles(tuned, gpu_, M, N, K);
    TunedChoice best = chosen;
    const double chosen_us = time_product(chosen);
    double best_us = chosen_us;
    for (const TunedTiles& tiles : tuned) {
      if (!suits(tiles, gpu_, M, N, K, true)) continue;
      for (const bool share : {false, true}) {
        const TunedChoice choice = choice_of(tiles, share, gpu_.sms, M, N, K);
        const double us = time_product(choice);
        if (us >= best_us) continue;
        best_us = us;
        best = choice;
      }
    }
    char shape[40];
    std::snprintf(shape, sizeof shape, "%d x %d x %d", M, N, K);
    const auto print = [](const TunedChoice& c, double us) {
      std::printf("  %-12s %-9s %9.1f", c.tiles->name, c.partition.shared > 0 ? "shared" : "", us);
    };
    std::printf("%18s", shape);
    print(chosen, chosen_us);
    print(best, best_us);
    std::printf("\n");
  }

  double time_product(const TunedChoice& choice) {
    const float* const A = operand(0, std::size_t(choice.M) * choice.K);
    const float* const B = operand(1, std::size_t(choice.K) * choice.N);
    float* const C = operand(2, std::size_t(choice.M) * choice.N);
    float* const workspace = operand(3, choice.workspace_bytes() / sizeof(float) + 1);
    return time_us([&] { run_choice(choice, A, B, C, workspace, stream_.get()); });
  }

  template <class Work>
  double time_us(const Work& work) {
    constexpr int kWarmups = 1, kRepeats = 7;
    for (int i = 0; i < kWarmups + kRepeats; ++i) {
      if (i == kWarmups) stopwatch_.reset();
      flush_(stream_.get());
      stopwatch_.time([&] {
        work();
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
  std::unique_ptr<device::Buffer<float>> arrays_[4];
};

void tune() {
  if (device::kIsCpu) {
    throw host::UsageError("--tune: measures a GPU; allowed: on the cuda backend");
  }
  Tuner().run();
}
