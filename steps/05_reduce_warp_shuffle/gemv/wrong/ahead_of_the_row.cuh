// gemv_warp_ahead that asks for packs beyond the end of its row.
//
// They belong to the rows below and are multiplied by zero: the sum is right, unless one of them is
// infinite or NaN. The last rows have no rows below, and read past the end of the matrix.
//
// Rejected by: memcheck (out_of_bounds) with --m 77 --k 131
#pragma once

#include "../4_gemv_warp_ahead.cuh"

namespace ahead_of_the_row {

template <class Pack>  // float4, or float where rows are not aligned
__global__ void gemv_warp_ahead_kernel(const float* a, const float* x, float* y, std::size_t m,
                                       std::size_t k) {
  constexpr int kAhead = 8 * sizeof(float) / sizeof(Pack);     // packs that a lane asks for at once
  const std::size_t packs = k * sizeof(float) / sizeof(Pack);  // per row
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarpSize;
  const std::size_t lane = threadIdx.x % kWarpSize;
  if (row >= m) return;  // the whole warp
  const Pack* const row_packs = reinterpret_cast<const Pack*>(a) + row * packs;
  const Pack* const x_packs = reinterpret_cast<const Pack*>(x);
  float sum = 0.0f;
#pragma unroll 1  // kAhead alone says how much is in flight
  for (std::size_t first = lane; first < packs; first += kAhead * kWarpSize) {
    Pack of_row[kAhead] = {};
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const std::size_t i = first + ahead * kWarpSize;
      of_row[ahead] = __ldcs(row_packs + i);
    }
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const std::size_t i = first + ahead * kWarpSize;
      sum += dot(of_row[ahead], i < packs ? x_packs[i] : Pack{});
    }
  }
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

inline void gemv_warp_ahead(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                            cudaStream_t stream) {
  constexpr int kBlockSize = 256;                // threads per block
  constexpr int kRows = kBlockSize / kWarpSize;  // rows per block
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  if (m == 0) return;
  const auto blocks = static_cast<unsigned>((m + kRows - 1) / kRows);
  const auto kernel =
      rows_are_aligned(a, x, k) ? gemv_warp_ahead_kernel<float4> : gemv_warp_ahead_kernel<float>;
  kernel<<<blocks, kBlockSize, 0, stream>>>(a, x, y, m, k);
}

}  // namespace ahead_of_the_row
