// The tiles that sgemm_tuned has, and what they cost.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "4_sgemm_pipelined.cuh"
#include "tuned_launch.cuh"

// Three blocks of small or tall tiles share an SM; a block of large ones has it to itself.
using SmallTiles = Tiling<64, 128, 16, 32, 64, 8, 8, 3, 3>;
using TallTiles = Tiling<128, 64, 16, 64, 32, 8, 8, 3, 3>;
using LargeTiles = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;

// A choice of tiles and its costs. A turn is one tile on every SM.
struct TunedTiles {
  const char* name;
  int BM, BN;
  bool fits_all;     // C may be smaller than a tile; nothing is dealt out
  int shared_bytes;  // per block
  std::size_t (*partial_floats)(int M, int N, int K);
  // C = A * B for an aligned B with N % 4 == 0, and for any. With `partials`, tiles are dealt out.
  void (*launch_aligned)(const float* A, const float* B, float* C, int M, int N, int K,
                         float* partials, cudaStream_t stream);
  void (*launch_any)(const float* A, const float* B, float* C, int M, int N, int K, float* partials,
                     cudaStream_t stream);
  double start_us;  // launch overhead: before the first products and after the last
  double first_ns;  // per step along K in the first turn
  double next_ns;   // and in later ones
  double share_us;  // for cutting tiles and adding up the parts
};

// kPack: the most floats that one copy of B can have with these tiles.
template <class Tiles, int kPack = 4>
constexpr TunedTiles tuned_tiles(const char* name, double start_us, double first_ns, double next_ns,
                                 double share_us) {
  return {.name = name,
          .BM = Tiles::BM,
          .BN = Tiles::BN,
          .fits_all = false,
          .shared_bytes = Tiles::kStages * sizeof(typename Tiles::Stage),
          .partial_floats = partial_floats<Tiles>,
          .launch_aligned = tuned_launch<Tiles, kPack>,
          .launch_any = tuned_launch<Tiles, 1>,
          .start_us = start_us,
          .first_ns = first_ns,
          .next_ns = next_ns,
          .share_us = share_us};
}

// The tiles of sgemm_pipelined, which tests rows and columns.
inline void guarded_launch(  //
    const float* A, const float* B, float* C, int M, int N, int K, float*, cudaStream_t stream) {
  sgemm_pipelined(A, B, C, M, N, K, stream);
}
constexpr TunedTiles guarded_tiles(const char* name, double start_us, double first_ns,
                                   double next_ns) {
  return {.name = name,
          .BM = 128,
          .BN = 128,
          .fits_all = true,
          .shared_bytes = 0,  // static
          .partial_floats = nullptr,
          .launch_aligned = guarded_launch,
          .launch_any = guarded_launch,
          .start_us = start_us,
          .first_ns = first_ns,
          .next_ns = next_ns,
          .share_us = 0};
}

// Measured on an NVIDIA H200 by `12_sgemm_warptile_zorder --tune`, which prints these lines for the
// GPU that it runs on.
inline constexpr TunedTiles kTunedTiles[] = {
    tuned_tiles<SmallTiles>("SmallTiles", 6.6, 43.8, 40.2, 23.6),
    tuned_tiles<TallTiles, 1>("TallTiles", 6.6, 43.8, 40.2, 23.6),
    tuned_tiles<LargeTiles>("LargeTiles", 10.4, 156.9, 158.2, 20.2),
    guarded_tiles("GuardedTiles", 6.6, 120.0, 100.0),
};
// Copying a matrix to one with zeros around it, or back.
inline constexpr double kResizeUs = 2.5, kResizePsPerFloat = 3.0;

struct Gpu {
  int sms;
  int shared_bytes;  // the most that a block may have
};
inline Gpu current_gpu() {
  return {multiprocessors(), device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)};
}

// The microseconds that a product should take on `sms` SMs. C has at least one tile, or they fit.
inline double expected_us(const TunedTiles& tiles, int sms, int M, int N, int K, bool share) {
  const double blocks = ((M - 1) / tiles.BM + 1.0) * ((N - 1) / tiles.BN + 1.0);
  const double turns = share ? blocks / sms : std::ceil(blocks / sms);
  const double first = std::min(turns, 1.0);
  const double ns_per_step = first * tiles.first_ns + (turns - first) * tiles.next_ns;
  return tiles.start_us + (share ? tiles.share_us : 0.0) + K * ns_per_step / 1000;
}
