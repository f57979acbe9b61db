// transpose_flat whose swizzle moves words, not packs.
//
// A pack of four words is stored with one access of 128 bits, which has to start on 16 bytes. Moved
// by fewer than four words, it does not.
//
// Rejected by: memcheck (misaligned) with --rows 8 --cols 128
#pragma once

#include "../18_transpose_flat.cuh"

namespace word_swizzle {

template <int kTile, int kBlockSize, int kRead, int kWrite>  // kRead, kWrite: floats per access
__global__ void __launch_bounds__(kBlockSize)
    transpose_flat_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                          unsigned tiles_across) {
  constexpr int kRows = kTile / 4;
  constexpr int kDown = kBlockSize / kTile;    // rows that a block reads at a time, float by float
  constexpr int kAcross = kBlockSize / kRows;  // rows of the output that it writes at a time
  __shared__ alignas(float4) float tile[kRows][kTile];  // word (y, x) is in column x ^ y / 4 * 4
  const std::size_t first_row = std::size_t{blockIdx.x / tiles_across} * kRows;
  const std::size_t first_col = std::size_t{blockIdx.x % tiles_across} * kTile;
  const int read_y = threadIdx.x / (kTile / kRead);
  const int read_x = threadIdx.x % (kTile / kRead) * kRead;

  Pack<kRead> packs[kRows / kDown / kRead] = {};  // all on their way before the first is needed
#pragma unroll
  for (int i = 0; i < kRows / kDown / kRead; ++i) {
    const std::size_t row = first_row + read_y + i * kDown * kRead;
    const std::size_t col = first_col + read_x;
    const auto in_packs = reinterpret_cast<const Pack<kRead>*>(in);
    // A pack is inside the matrix or outside, never across its edge.
    if (row < rows && col < cols) packs[i] = in_packs[(row * cols + col) / kRead];
  }
#pragma unroll
  for (int i = 0; i < kRows / kDown / kRead; ++i) {
    const int y = read_y + i * kDown * kRead;
    reinterpret_cast<Pack<kRead>&>(tile[y][read_x ^ (y / 4)]) = packs[i];
  }
  __syncthreads();
  const int write_x = threadIdx.x / (kRows / kWrite);
  const int write_y = threadIdx.x % (kRows / kWrite) * kWrite;
#pragma unroll
  for (int i = 0; i < kTile / kAcross / kWrite; ++i) {
    const int x = write_x + i * kAcross * kWrite;
    const std::size_t row = first_row + write_y;
    const std::size_t col = first_col + x;
    alignas(Pack<kWrite>) float words[kWrite];
#pragma unroll
    for (int j = 0; j < kWrite; ++j) words[j] = tile[write_y + j][x ^ (write_y / 4)];
    const auto out_packs = reinterpret_cast<Pack<kWrite>*>(out);
    if (row < rows && col < cols) {
      out_packs[(col * rows + row) / kWrite] = reinterpret_cast<const Pack<kWrite>&>(words);
    }
  }
}

inline void transpose_flat(const float* in, float* out, std::size_t rows, std::size_t cols,
                           cudaStream_t stream) {
  constexpr int kTile = 128;
  constexpr int kRows = kTile / 4;
  constexpr int kBlockSize = 256;
  if (rows == 0 || cols == 0) return;
  // All tiles lie along the grid's x: y and z end at 65535, too soon for a tall matrix.
  const auto tiles_across = static_cast<unsigned>((cols + kTile - 1) / kTile);
  const auto tiles_down = static_cast<unsigned>((rows + kRows - 1) / kRows);
  const bool read_packs = rows_are_aligned(in, cols);
  const bool write_packs = rows_are_aligned(out, rows);
  auto kernel = transpose_flat_kernel<kTile, kBlockSize, 1, 1>;
  if (read_packs) kernel = transpose_flat_kernel<kTile, kBlockSize, 4, 1>;
  if (write_packs) kernel = transpose_flat_kernel<kTile, kBlockSize, 1, 4>;
  if (read_packs && write_packs) kernel = transpose_flat_kernel<kTile, kBlockSize, 4, 4>;
  kernel<<<tiles_across * tiles_down, kBlockSize, 0, stream>>>(in, out, rows, cols, tiles_across);
}

}  // namespace word_swizzle
