// How long a thin product should take with each kind of tile, and the choice among them.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "../instructions/dependent_launch.cuh"
#include "measured_thin_tiles.cuh"

struct ThinChoice {
  const ThinTiles* tiles = nullptr;
  Parts parts = {1, 0};
  double us = std::numeric_limits<double>::infinity();

  std::size_t partial_floats(int M, int N) const {
    return parts.count > 1 ? parts.count * std::size_t(M) * N : 0;
  }
};

// A launch, and what a second one, which is early, takes for the sum of parts beside their bytes.
constexpr double kLaunchUs = 3.5, kAddUs = 1.4, kPartsBytesPerUs = 2e6;

// The microseconds in which a kernel loads and stores each element once.
inline double bytes_us(const ThinTiles& tiles, int M, int N, int K) {
  const double floats = 1.0 * M * K + 1.0 * K * N + 1.0 * M * N;
  return sizeof(float) * floats / (1000 * tiles.costs.bytes_per_ns);
}

// Blocks compute and load in part at once: together they take longer than either, but less than
// both one after the other.
inline double overlapped_us(double blocks_us, double bytes_us) {
  return std::hypot(blocks_us, bytes_us);
}

// The time that a thin product should take: that of its blocks, overlapped with that of its bytes.
inline double thin_us(const ThinTiles& tiles, const Parts& parts, int sms, int M, int N, int K) {
  const ThinCosts& costs = tiles.costs;
  const double per_sm = 1.0 * tiles.tiles(M, N) * parts.count / sms;
  const double turns = tiles.turns(per_sm);
  const double at_once = std::min<double>(std::ceil(per_sm), tiles.blocks_per_sm);
  const double step_ns = std::max(costs.alone_ns, costs.full_ns * at_once / tiles.blocks_per_sm);
  const double blocks_us =
      turns * (costs.turn_us + tiles.steps(M, N, parts.depth) * step_ns / 1000);
  const double us = kLaunchUs + overlapped_us(blocks_us, bytes_us(tiles, M, N, K));
  if (parts.count == 1) return us;
  return us + kAddUs + sizeof(float) * 2.0 * parts.count * M * N / kPartsBytesPerUs;
}

// The same for a short K, where threads take their steps for one row after the other.
inline double short_k_us(const ThinTiles& tiles, int sms, int M, int N, int K) {
  const ThinCosts& costs = tiles.costs;
  const int threads = tiles.threads, columns = tiles.BN / threads;
  const int rows = std::min(short_k_rows(sms, M, N, K, threads, columns), M);
  const int at_once = threads / std::min(N, threads);
  const double per_sm = ((M - 1) / rows + 1.0) * ((N - 1) / tiles.BN + 1) / sms;
  const double turns = tiles.turns(per_sm);
  const double share = std::clamp(per_sm, 1.0, 1.0 * tiles.blocks_per_sm) / tiles.blocks_per_sm;
  const double steps = ((rows - 1) / at_once + 1.0) * ((K - 1) / 4 + 1) * 4;
  const double step_ns = std::max(costs.alone_ns, costs.full_ns * share);
  const double blocks_us = turns * (costs.turn_us + steps * step_ns / 1000);
  return kLaunchUs + overlapped_us(blocks_us, bytes_us(tiles, M, N, K));
}

// The choice that should be fastest, of those that a workspace of `bytes` is enough for.
inline ThinChoice choose_thin(int sms, int M, int N, int K, std::size_t bytes) {
  ThinChoice best;
  for (const ThinTiles& tiles : short_k_tiles_for(M, N, K)) {
    const double us = short_k_us(tiles, sms, M, N, K);
    if (us < best.us) best = {&tiles, {1, K}, us};
  }
  for (const ThinTiles& tiles : kThinTiles) {
    if (!tiles.take(M, N)) continue;
    for (const bool share : {false, true}) {
      if (share ? tiles.shortest_part == 0 : tiles.part_turns > 1) continue;
      ThinChoice choice = {&tiles, Parts{1, K}};
      if (share) {
        const int blocks = tiles.part_turns * tiles.blocks_per_sm * sms;
        choice.parts = make_parts(tiles.tiles(M, N), K, blocks, tiles.shortest_part);
        if (choice.parts.count == 1) continue;
      }
      choice.us = thin_us(tiles, choice.parts, sms, M, N, K);
      const std::size_t needed = choice.partial_floats(M, N) * sizeof(float);
      if (choice.us < best.us && needed <= bytes) best = choice;
    }
  }
  return best;
}

inline void run_thin(  //
    const ThinChoice& thin, const float* A, const float* B, float* C, int M, int N, int K,
    cudaStream_t stream) {
  thin.tiles->launch(A, B, C, M, N, K, thin.parts, stream);
  if (thin.parts.count == 1) return;
  const std::size_t size = std::size_t(M) * N;
  launch_dependent(add_parts_kernel, (size - 1) / 32 + 1, dim3(32, 8), 0, stream, thin.parts.C,
                   thin.parts.count, C, size);
}
