// gemv_warp_float4 that reads packs of four from every row that is long enough.
//
// If k is no multiple of 4, a row is no whole number of packs: its last floats are left out, and
// every row after the first begins too early. For all other k the result is right.
//
// Rejected by: result with --m 77 --k 131
#pragma once

#include "../2_gemv_warp_float4.cuh"

namespace rows_of_whole_packs {

template <class Pack>  // float4, or float where rows are not aligned
__global__ void gemv_warp_float4_kernel(const float* a, const float* x, float* y, std::size_t m,
                                        std::size_t k) {
  const std::size_t packs = k * sizeof(float) / sizeof(Pack);  // per row
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarpSize;
  const std::size_t lane = threadIdx.x % kWarpSize;
  if (row >= m) return;  // the whole warp
  const Pack* const row_packs = reinterpret_cast<const Pack*>(a) + row * packs;
  const Pack* const x_packs = reinterpret_cast<const Pack*>(x);
  float sum = 0.0f;
  for (std::size_t i = lane; i < packs; i += kWarpSize) sum += dot(row_packs[i], x_packs[i]);
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

inline void gemv_warp_float4(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                             cudaStream_t stream) {
  constexpr int kBlockSize = 256;                // threads per block
  constexpr int kRows = kBlockSize / kWarpSize;  // rows per block
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  if (m == 0) return;
  const auto blocks = static_cast<unsigned>((m + kRows - 1) / kRows);
  const auto kernel = k >= 4 ? gemv_warp_float4_kernel<float4> : gemv_warp_float4_kernel<float>;
  kernel<<<blocks, kBlockSize, 0, stream>>>(a, x, y, m, k);
}

}  // namespace rows_of_whole_packs
