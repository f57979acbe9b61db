// A in panels: as many rows as a tile has, transposed. A slice of a tile is one dense run of
// memory; zeros fill the last one.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../../instructions/device_attributes.cuh"
#include "../float4.cuh"
#include "../store4.cuh"

// A tile whose stages are without padding, as panels are: a slice stays one run of memory.
template <class Tile>
struct PanelTile : Tile {
  struct Stage {
    alignas(16) float A[Tile::BK][Tile::BM], B[Tile::BK][Tile::BN];
  };
};

// Whether a block can have the stages on the current GPU.
template <class Tile>
bool stages_fit() {
  return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) >=
         static_cast<int>(Tile::kStages * sizeof(typename Tile::Stage));
}

// The length of a panel that holds K steps: whole slices, of up to 16.
__host__ __device__ constexpr std::size_t panel_depth(int K) {
  return (K + std::size_t{15}) / 16 * 16;
}

// Floats of all panels of A, (M, K): one panel, (panel_depth, BM), for each row of tiles.
constexpr std::size_t panel_floats(int BM, int M, int K) {
  return ((M - 1) / BM + 1) * (BM * panel_depth(K));
}

// The number of zeros: one per column of a tile, for rows past B's end; then one per part of a
// tile, the counters of handover.cuh. Whole lines of 128 bytes: slices that begin inside a line are
// copied more slowly.
constexpr int panel_zeros(int BN, int parts) { return (BN + parts + 31) / 32 * 32; }

// The memory that a product needs beside A, B and C.
struct PanelMemory {
  float *zeros, *panels;  // (panel_zeros), (panel_floats)
  unsigned* ready;        // for each part of a tile: how many warps have stored theirs
  float* parts;           // of tiles: (parts, BM, BN)
};
constexpr std::size_t panel_memory_floats(int BM, int BN, int M, int K, int parts) {
  return panel_zeros(BN, parts) + panel_floats(BM, M, K) + parts * (std::size_t{1} * BM * BN);
}

// Transposes panels in squares of 4x4 elements, which a thread holds in registers: no shared
// memory, and no barrier. A warp reads 128 bytes of 16 rows, and writes 64 bytes of 32 rows of the
// panel. The last panel is moved inside A. kPack: floats per load. The first block makes the zeros.
constexpr int kPanelPart = 64;  // rows of A, and steps along K, of a block
template <int BM, int kPack>
__global__ void __launch_bounds__(256)
    make_panels_kernel(const float* A, PanelMemory memory, int zeros, int M, int K) {
  for (int i = threadIdx.x; blockIdx.x == 0 && i < zeros; i += blockDim.x) memory.zeros[i] = 0;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int across = (K - 1) / kPanelPart + 1, down = blockIdx.x / across;  // parts
  const int k = blockIdx.x % across * kPanelPart + warp / 4 * 32 + lane / 4 * 4;
  const int row = down % (BM / kPanelPart) * kPanelPart + warp % 4 * 16 + lane % 4 * 4;
  const int panel = down / (BM / kPanelPart), panel_row = min(panel * BM, M - BM);
  const float* const from = A + (panel_row + row) * std::size_t(K) + k;
  float square[4][4] = {};
#pragma unroll
  for (int m = 0; m < 4; ++m) {
#pragma unroll
    for (int i = 0; i < 4; i += kPack) {
      if (k + i >= K) continue;
      if constexpr (kPack == 4) copy4(square[m], from + m * std::size_t(K));
      if constexpr (kPack == 1) square[m][i] = from[m * std::size_t(K) + i];
    }
  }
  float* const to = memory.panels + (panel * panel_depth(K) + k) * BM + row;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float column[] = {square[0][i], square[1][i], square[2][i], square[3][i]};
    if (k + i < static_cast<int>(panel_depth(K))) store4(to + i * BM, column, 4);
  }
}

// Cuts memory for so many parts of tiles, and makes zeros and panels, for which a kernel that is
// launched early has to wait.
template <class Tile>
PanelMemory make_panels(const float* A, float* memory, int M, int K, int parts,
                        cudaStream_t stream) {
  constexpr int BM = Tile::BM;
  static_assert(BM % kPanelPart == 0, "parts fill a panel");
  const int zeros = panel_zeros(Tile::BN, parts);
  float* const panels = memory + zeros;
  unsigned* const ready = reinterpret_cast<unsigned*>(memory + Tile::BN);
  const PanelMemory cut{memory, panels, ready, panels + panel_floats(BM, M, K)};
  const bool aligned = K % 4 == 0 && reinterpret_cast<std::uintptr_t>(A) % sizeof(float4) == 0;
  const auto kernel = aligned ? make_panels_kernel<BM, 4> : make_panels_kernel<BM, 1>;
  // All parts lie along the grid's x: y and z end at 65535.
  const unsigned across = (K - 1) / kPanelPart + 1, down = ((M - 1) / BM + 1) * (BM / kPanelPart);
  kernel<<<across * down, 256, 0, stream>>>(A, cut, zeros, M, K);
  return cut;
}
