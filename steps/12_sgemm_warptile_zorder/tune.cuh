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
    if (t.fits_all)
      std::printf("    guarded_tiles(\"%s\", %.1f, %.1f, %.1f),\n", t.name, t.start_us, t.first_ns,
                  t.next_ns);
    else
      std::printf("    tuned_tiles<%s>(\"%s\", %.1f, %.1f, %.1f, %.1f),\n", t.name, t.name,
                  t.start_us, t.first_ns, t.next_ns, t.share_us);
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
    constexpr int kShort = 1024, kLong = 3072, kTurns = 4;
    const double short_us = time_product(choice_of(tiles, false, M, N, kShort));
    const double long_us = time_product(choice_of(tiles, false, M, N, kLong));
    const double turns_us = time_product(choice_of(tiles, false, M, N * kTurns, kLong));
    tiles.first_ns = 1000 * (long_us - short_us) / (kLong - kShort);
    tiles.start_us = short_us - kShort * tiles.first_ns / 1000;
    tiles.next_ns = 1000 * (turns_us - long_us) / (kLong * (kTurns - 1));
    tiles.share_us = 0;
    if (tiles.fits_all) return tiles;
    const TunedChoice shared = choice_of(tiles, true, M * kTurns + tiles.BM, N, kLong);
    tiles.share_us = std::max(0.0, time_product(shared) - shared.expected_us(gpu_.sms));
    return tiles;
  }

  void compare(std::span<const TunedTiles> tuned, int M, int N, int K) {
    const TunedChoice chosen = choose_tiles(tuned, gpu_, M, N, K);
    TunedChoice best = chosen;
    const double chosen_us = time_product(chosen);
    double best_us = chosen_us;
    for (const TunedTiles& tiles : tuned) {
      for (const bool share : {false, true}) {
        const TunedChoice choice = choice_of(tiles, share, M, N, K);
        const double us = time_product(choice);
        if (us >= best_us) continue;
        best_us = us;
        best = choice;
      }
    }
    char shape[40];
    std::snprintf(shape, sizeof shape, "%d x %d x %d", M, N, K);
    const auto print = [](const TunedChoice& c, double us) {
      std::printf("  %-12s %-9s %9.1f", c.tiles->name, c.share ? "dealt out" : "", us);
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

inline void tune() {
  if (device::kIsCpu) {
    throw harness::UsageError("--tune: measures a GPU; allowed: on the cuda backend");
  }
  Tuner().run();
}
