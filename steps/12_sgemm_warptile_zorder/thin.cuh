// How long a thin product should take with each kind of tile, and the choice among them.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "thin_tiles.cuh"

struct ThinChoice {
  const ThinTiles* tiles = nullptr;
  Parts parts = {1, 0};
  double us = std::numeric_limits<double>::infinity();

  std::size_t partial_floats(int M, int N) const {
    return parts.count > 1 ? parts.count * std::size_t(M) * N : 0;
  }
};

// The time that a thin product should take: that of its blocks or that of its bytes, the longer.
inline double thin_us(const ThinTiles& tiles, const Parts& parts, int sms, int M, int N, int K) {
  // A launch; a turn of blocks on all SMs, beside its steps; the kernel that adds parts; memory.
  constexpr double kStartUs = 7, kTurnUs = 2, kAddUs = 5, kBytesPerUs = 3.5e6;
  const double per_sm = 1.0 * tiles.tiles(M, N) * parts.count / sms;
  const double turns = std::ceil(per_sm / tiles.blocks_per_sm);
  const double at_once = std::min<double>(std::ceil(per_sm), tiles.blocks_per_sm);
  const double step_ns = std::max(tiles.alone_ns, tiles.full_ns * at_once / tiles.blocks_per_sm);
  const double c = 1.0 * M * N, partials = parts.count > 1 ? 2.0 * parts.count * c : 0;
  const double bytes = sizeof(float) * (1.0 * M * K + 1.0 * K * N + c + partials);
  return kStartUs + (parts.count > 1 ? kAddUs : 0) +
         std::max(turns * (kTurnUs + parts.depth * step_ns / 1000), bytes / kBytesPerUs);
}

// The choice that should be fastest, of those that a workspace of `bytes` is enough for.
inline ThinChoice choose_thin(int sms, int M, int N, int K, std::size_t bytes) {
  ThinChoice best;
  if (K <= (N <= kNarrow ? kLongestShortK / 2 : kLongestShortK)) {
    const Parts whole = {1, K};
    return {&kShortK, whole, thin_us(kShortK, whole, sms, M, N, K)};
  }
  for (const ThinTiles& tiles : kThinTiles) {
    if (!tiles.take(M, N)) continue;
    for (const bool share : {false, true}) {
      ThinChoice choice = {&tiles, Parts{1, K}};
      if (share) choice.parts = make_parts(tiles.tiles(M, N), K, tiles.blocks_per_sm * sms);
      choice.us = thin_us(tiles, choice.parts, sms, M, N, K);
      const std::size_t needed = choice.partial_floats(M, N) * sizeof(float);
      if (choice.us < best.us && needed <= bytes) best = choice;
    }
  }
  return best;
}
