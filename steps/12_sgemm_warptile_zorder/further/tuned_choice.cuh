// Which tiles of sgemm_tuned a product gets, and whether blocks share some of them (Stream-K).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "../padded.cuh"
#include "../tuned_costs.cuh"
#include "../workspace.cuh"
#include "measured_tiles.cuh"

// A way to compute a product of M x N x K.
struct TunedChoice {
  const TunedTiles* tiles = nullptr;
  int M = 0, N = 0, K = 0;
  int padded_M = 0, padded_N = 0;  // of A and B with zeros around them, as large as a tile
  Partition partition = {};

  bool pads_A() const { return padded_M > M; }
  bool pads_B() const { return padded_N > N; }
  MatrixSize padded_A() const { return {padded_M, K}; }
  MatrixSize padded_B() const { return {K, padded_N}; }
  std::size_t panels() const { return tiles->in_panels ? panel_floats(tiles->BM, padded_M, K) : 0; }
  // Floats that the kernels need beside A, B and C: panels, and partial tiles.
  std::size_t scratch() const {
    if (!tiles->in_panels) return partial_floats(tiles->BM, tiles->BN, partition);
    return panel_memory_floats(tiles->BM, tiles->BN, M, K, partition.sharers);
  }

  std::size_t workspace_bytes() const {
    std::size_t bytes = workspace_bytes_of(scratch());
    if (pads_A()) bytes += workspace_bytes_of(padded_A().elements());
    if (pads_B()) bytes += workspace_bytes_of(padded_B().elements());
    return bytes;
  }

  double panels_us() const {
    return tiles->in_panels ? kPanelsUs + kPanelsPsPerFloat * panels() / 1e6 : 0;
  }
  double expected_us(int sms) const {
    double us = ::expected_us(*tiles, partition, sms, M, N, K) + panels_us();
    const auto resize = [&](MatrixSize size) {
      us += kResizeUs + kResizePsPerFloat * size.elements() / 1e6;
    };
    if (pads_A()) resize(padded_A());
    if (pads_B()) resize(padded_B());
    return us;
  }
};

// With `share`, blocks share the tiles of the last wave along K, if the tiles allow it.
inline TunedChoice choice_of(const TunedTiles& tiles, bool share, int sms, int M, int N, int K) {
  const int padded_M = tiles.fits_all ? M : std::max(M, tiles.BM);
  const int padded_N = tiles.fits_all ? N : std::max(N, tiles.BN);
  const Partition partition = make_partition(tiles, sms, M, N, K, share && tiles.shares);
  return {&tiles, M, N, K, padded_M, padded_N, partition};
}

// Whether a product can have these tiles. `aligned`: B begins at a multiple of 16 bytes.
inline bool suits(const TunedTiles& tiles, const Gpu& gpu, int M, int N, int K, bool aligned) {
  if (tiles.shared_bytes > gpu.shared_bytes) return false;
  if (tiles.in_panels && !gpu.bulk_copies) return false;
  if (tiles.whole_slices && K % tiles.BK != 0) return false;
  const bool whole = M >= tiles.BM && N >= tiles.BN;
  return !tiles.aligned_only || (whole && aligned && N % 4 == 0 && K > 0);
}

// The estimates are no better than this, so a smaller gain does not change the choice.
inline constexpr double kLeastGainUs = 2;

// The choice that should be fastest, of those that a workspace of `bytes` is enough for.
inline TunedChoice choose_tiles(  //
    std::span<const TunedTiles> all, const Gpu& gpu, int M, int N, int K,
    std::size_t bytes = std::numeric_limits<std::size_t>::max(), bool aligned = true) {
  TunedChoice best;
  double best_us = std::numeric_limits<double>::infinity();
  for (const TunedTiles& tiles : all) {
    if (!suits(tiles, gpu, M, N, K, aligned)) continue;
    for (const bool share : {false, true}) {
      const TunedChoice choice = choice_of(tiles, share, gpu.sms, M, N, K);
      const double us = choice.expected_us(gpu.sms);
      if (us > best_us - kLeastGainUs || choice.workspace_bytes() > bytes) continue;
      best = choice;
      best_us = us;
    }
  }
  return best;
}
