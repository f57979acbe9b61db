// A in panels: as many rows as a tile has, transposed. A slice of a tile is one dense run of
// memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// A tile whose stages are without padding, as panels are: a slice stays one run of memory.
template <class Tile>
struct PanelTile : Tile {
  struct Stage {
    alignas(16) float A[Tile::BK][Tile::BM], B[Tile::BK][Tile::BN];
  };
};

// Floats of all panels of A, (M, K): one panel, (K, BM), for each row of tiles.
constexpr std::size_t panel_floats(int BM, int M, int K) {
  return ((M - 1) / BM + 1) * (std::size_t{1} * BM * K);
}

// Transposes a square of panel blockIdx.z, as in step 08. The last panel is moved inside A.
constexpr int kPanelSquare = 64;
template <int BM>
__global__ void make_panels_kernel(const float* A, float* panels, int M, int K) {
  __shared__ float square[kPanelSquare][kPanelSquare + 1];
  const int tile_row = min(static_cast<int>(blockIdx.z) * BM, M - BM);
  const int row = blockIdx.y * kPanelSquare, k = blockIdx.x * kPanelSquare;  // in the panel
  const int x = threadIdx.x;
#pragma unroll
  for (int y = threadIdx.y; y < kPanelSquare; y += 4) {
    if (k + x < K) square[y][x] = A[(tile_row + row + y) * std::size_t(K) + k + x];
  }
  __syncthreads();
  float* const panel = panels + blockIdx.z * (std::size_t{BM} * K);
#pragma unroll
  for (int y = threadIdx.y; y < kPanelSquare; y += 4) {
    if (k + y < K) panel[(k + y) * std::size_t{BM} + row + x] = square[x][y];
  }
}

template <int BM>
void make_panels(const float* A, float* panels, int M, int K, cudaStream_t stream) {
  static_assert(BM % kPanelSquare == 0, "squares fill a panel");
  const dim3 grid((K - 1) / kPanelSquare + 1, BM / kPanelSquare, (M - 1) / BM + 1);
  make_panels_kernel<BM><<<grid, dim3(kPanelSquare, 4), 0, stream>>>(A, panels, M, K);
}
