// Matrix product, C = A * B, row-major: picks a tile for sgemm_stream_k by the shape, and whether
// tiles are dealt out. A matrix smaller than a tile goes to sgemm_pipelined.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "../instructions/device_attributes.cuh"
#include "17_sgemm_stream_k.cuh"
#include "4_sgemm_pipelined.cuh"

// Three blocks of small tiles share an SM; a block of large ones has it to itself.
using SmallTiles = Tiling<64, 128, 16, 32, 64, 8, 8, 3, 3>;
using LargeTiles = Tiling<128, 256, 16, 128, 32, 16, 8, 3, 1>;

// A choice of tiles and its costs. A turn is one tile on every SM.
struct TunedTiles {
  const char* name;
  int BM, BN;
  int shared_bytes;  // a block
  // C = A * B for an aligned B with N % 4 == 0, and for any; `share`: tiles are dealt out.
  void (*launch_aligned)(const float* A, const float* B, float* C, int M, int N, int K, bool share,
                         cudaStream_t stream);
  void (*launch_any)(const float* A, const float* B, float* C, int M, int N, int K, bool share,
                     cudaStream_t stream);
  double start_us;  // launch overhead: before the first products and after the last
  double first_ns;  // per step along K in the first turn
  double next_ns;   // and in later ones
  double share_us;  // for cutting tiles and adding up the parts
};

template <class Tiles>
constexpr TunedTiles tuned_tiles(const char* name, double start_us, double first_ns, double next_ns,
                                 double share_us) {
  return {.name = name,
          .BM = Tiles::BM,
          .BN = Tiles::BN,
          .shared_bytes = Tiles::kStages * sizeof(typename Tiles::Stage),
          .launch_aligned = sgemm_stream_k_launch<Tiles, 4>,
          .launch_any = sgemm_stream_k_launch<Tiles, 1>,
          .start_us = start_us,
          .first_ns = first_ns,
          .next_ns = next_ns,
          .share_us = share_us};
}

// Measured on an NVIDIA H200 by `12_sgemm_warptile_zorder --tune`, which prints these lines for the
// GPU that it runs on.
inline constexpr TunedTiles kTunedTiles[] = {
    tuned_tiles<SmallTiles>("SmallTiles", 6.6, 43.8, 40.2, 23.6),
    tuned_tiles<LargeTiles>("LargeTiles", 10.4, 156.9, 158.2, 20.2),
};

struct Gpu {
  int sms;
  int shared_bytes;  // the most that a block may have
};
inline Gpu current_gpu() {
  return {multiprocessors(), device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)};
}

// The microseconds that a product should take on `sms` SMs.
inline double expected_us(const TunedTiles& tiles, int sms, int M, int N, int K, bool share) {
  const double blocks = ((M - 1) / tiles.BM + 1.0) * ((N - 1) / tiles.BN + 1.0);
  const double turns = share ? blocks / sms : std::ceil(blocks / sms);
  const double first = std::min(turns, 1.0);
  const double ns_a_step = first * tiles.first_ns + (turns - first) * tiles.next_ns;
  return tiles.start_us + (share ? tiles.share_us : 0.0) + K * ns_a_step / 1000;
}

// The choice that should be fastest; no tiles if C is smaller than the smallest tile.
struct TunedChoice {
  const TunedTiles* tiles;
  bool share;
};
inline TunedChoice choose_tiles(std::span<const TunedTiles> all, const Gpu& gpu, int M, int N,
                                int K) {
  TunedChoice best{nullptr, false};
  double best_us = std::numeric_limits<double>::infinity();
  for (const TunedTiles& tiles : all) {
    if (M < tiles.BM || N < tiles.BN || tiles.shared_bytes > gpu.shared_bytes) continue;
    for (const bool share : {false, true}) {
      const double us = expected_us(tiles, gpu.sms, M, N, K, share);
      if (us >= best_us) continue;
      best = {&tiles, share};
      best_us = us;
    }
  }
  return best;
}

inline void sgemm_tuned(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  const TunedChoice choice = choose_tiles(kTunedTiles, current_gpu(), M, N, K);
  if (choice.tiles == nullptr) return sgemm_pipelined(A, B, C, M, N, K, stream);
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto launch = aligned ? choice.tiles->launch_aligned : choice.tiles->launch_any;
  launch(A, B, C, M, N, K, choice.share, stream);
}
