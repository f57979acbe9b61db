// Transpose through a swizzled tile, 16 elements a thread, 128-bit accesses where rows allow them.
//
// More elements a thread keep more bytes in flight, and a 128-bit access moves four of them with
// one instruction. A side of the copy whose rows do not all start on 16 bytes is walked float by
// float instead; reading and writing are free to differ in this.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// [transpose_tile_vectorized]
constexpr int kWideTile = 64;      // side of a tile
constexpr int kWideThreads = 256;  // threads of a block

// The walk of a block over its tile, kPack floats an access. A warp covers a patch of
// kPack rows x 32 columns with each access, 32 / kPack lanes a row: 128 bytes of each row.
template <int kPack>
struct TileWalk {
  static_assert(kPack == 1 || kPack == 4, "float or float4");
  static constexpr int kLanesAcross = 32 / kPack;
  static constexpr int kPatchesAcross = kWideTile / 32;
  static constexpr int kSteps = kWideTile * kWideTile / (kPack * kWideThreads);
  static_assert(kSteps * kPack * kWideThreads == kWideTile * kWideTile, "threads share the tile");

  // Where in the tile the calling thread's access of a step starts.
  static __device__ int row(int step) {
    return patch(step) / kPatchesAcross * kPack + lane() / kLanesAcross;
  }
  static __device__ int col(int step) {
    return patch(step) % kPatchesAcross * 32 + lane() % kLanesAcross * kPack;
  }

 private:
  static __device__ int lane() { return threadIdx.x % 32; }
  static __device__ int patch(int step) { return step * (kWideThreads / 32) + threadIdx.x / 32; }
};

// The i-th pack of an array: one float, or four with a 128-bit access.
template <int kPack>
__device__ void load_pack(const float* from, std::size_t i, float (&pack)[kPack]) {
  if constexpr (kPack == 4) {
    const float4 four = reinterpret_cast<const float4*>(from)[i];
    pack[0] = four.x;
    pack[1] = four.y;
    pack[2] = four.z;
    pack[3] = four.w;
  } else {
    static_assert(kPack == 1, "float or float4");
    pack[0] = from[i];
  }
}

template <int kPack>
__device__ void store_pack(float* to, std::size_t i, const float (&pack)[kPack]) {
  if constexpr (kPack == 4) {
    reinterpret_cast<float4*>(to)[i] = make_float4(pack[0], pack[1], pack[2], pack[3]);
  } else {
    static_assert(kPack == 1, "float or float4");
    to[i] = pack[0];
  }
}

template <int kReadPack, int kWritePack>
__global__ void __launch_bounds__(kWideThreads)
    transpose_tile_vectorized_kernel(const float* in, float* out, std::size_t rows,
                                     std::size_t cols, unsigned tiles_across) {
  using Read = TileWalk<kReadPack>;
  using Write = TileWalk<kWritePack>;
  __shared__ float tile[kWideTile][kWideTile];  // element (y, x) is in column x ^ y % 32
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kWideTile;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kWideTile;

  // All loads first, so that they are in flight together. A side has packs of 4 only where its
  // rows are a multiple of 4 long: a pack is inside the matrix or outside, never across the edge.
  float packs[Read::kSteps][kReadPack] = {};
#pragma unroll
  for (int step = 0; step < Read::kSteps; ++step) {
    const std::size_t row = first_row + Read::row(step);
    const std::size_t col = first_col + Read::col(step);
    if (row < rows && col < cols) load_pack(in, (row * cols + col) / kReadPack, packs[step]);
  }
#pragma unroll
  for (int step = 0; step < Read::kSteps; ++step) {
    const int y = Read::row(step);
#pragma unroll
    for (int i = 0; i < kReadPack; ++i) {
      tile[y][(Read::col(step) + i) ^ (y % 32)] = packs[step][i];
    }
  }
  __syncthreads();

  // Rows of the output are columns of the tile.
#pragma unroll
  for (int step = 0; step < Write::kSteps; ++step) {
    const int x = Write::row(step);
    float pack[kWritePack];
#pragma unroll
    for (int i = 0; i < kWritePack; ++i) {
      const int y = Write::col(step) + i;
      pack[i] = tile[y][x ^ (y % 32)];
    }
    const std::size_t row = first_row + Write::col(step);
    const std::size_t col = first_col + Write::row(step);
    if (row < rows && col < cols) store_pack(out, (col * rows + row) / kWritePack, pack);
  }
}

// Whether every row of a row-major matrix starts on 16 bytes.
inline bool rows_are_aligned(const float* matrix, std::size_t cols) {
  return reinterpret_cast<std::uintptr_t>(matrix) % sizeof(float4) == 0 && cols % 4 == 0;
}

inline void transpose_tile_vectorized(const float* in, float* out, std::size_t rows,
                                      std::size_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const unsigned tiles_across = static_cast<unsigned>((cols + kWideTile - 1) / kWideTile);
  const unsigned tiles_down = static_cast<unsigned>((rows + kWideTile - 1) / kWideTile);
  const unsigned tiles = tiles_across * tiles_down;
  const bool read_packs = rows_are_aligned(in, cols);
  const bool write_packs = rows_are_aligned(out, rows);
  const auto kernel = read_packs ? (write_packs ? transpose_tile_vectorized_kernel<4, 4>
                                                : transpose_tile_vectorized_kernel<4, 1>)
                                 : (write_packs ? transpose_tile_vectorized_kernel<1, 4>
                                                : transpose_tile_vectorized_kernel<1, 1>);
  kernel<<<tiles, kWideThreads, 0, stream>>>(in, out, rows, cols, tiles_across);
}
// [transpose_tile_vectorized]
