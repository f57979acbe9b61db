// gemv_warp_rows without the barrier of the warp before four lanes read what lane 0 wrote.
//
// The lanes of a warp need not run in lockstep: a lane may store the result of its row before lane
// 0 has written it.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race) with --m 77 --k 131
#pragma once

#include "../5_gemv_warp_rows.cuh"

namespace no_syncwarp {

template <class Pack, int kRows, int kBlockSize>  // rows per warp; threads per block
__global__ void __launch_bounds__(kBlockSize)
    gemv_warp_rows_kernel(const float* a, const float* x, float* y, std::size_t m, std::size_t k) {
  const std::size_t packs = k * sizeof(float) / sizeof(Pack);  // per row
  const std::size_t first_row =
      (std::size_t{blockIdx.x} * kBlockSize + threadIdx.x) / kWarpSize * kRows;
  const std::size_t lane = threadIdx.x % kWarpSize;
  const Pack* const x_packs = reinterpret_cast<const Pack*>(x);
  const Pack* rows[kRows];
  for (int r = 0; r < kRows; ++r) {
    // Past the end of the matrix, its last row is read again, for nothing.
    rows[r] = reinterpret_cast<const Pack*>(a) + min(first_row + r, m - 1) * packs;
  }
  float sums[kRows] = {};
#pragma unroll 1  // kRows alone says how much is in flight
  for (std::size_t i = lane; i < packs; i += kWarpSize) {
    Pack v[kRows];
    for (int r = 0; r < kRows; ++r) v[r] = __ldcs(rows[r] + i);
    for (int r = 0; r < kRows; ++r) sums[r] += dot(v[r], x_packs[i]);
  }
  __shared__ float of_rows[kBlockSize / kWarpSize][kRows];
  float* const of_warp = of_rows[threadIdx.x / kWarpSize];
  for (int r = 0; r < kRows; ++r) {
    const float sum = warp_sum(sums[r]);
    if (lane == 0) of_warp[r] = sum;
  }
  if (lane < kRows && first_row + lane < m) y[first_row + lane] = of_warp[lane];
}

inline void gemv_warp_rows(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                           cudaStream_t stream) {
  constexpr int kBlockSize = 256;                          // threads per block
  constexpr int kRows = 4;                                 // rows per warp
  constexpr int kTile = kRows * (kBlockSize / kWarpSize);  // rows per block
  static_assert(kBlockSize % kWarpSize == 0, "shuffles need whole warps");
  static_assert(kRows <= kWarpSize, "a lane stores the result of a row");
  if (m == 0) return;
  const auto blocks = static_cast<unsigned>((m + kTile - 1) / kTile);
  const auto kernel = rows_are_aligned(a, x, k) ? gemv_warp_rows_kernel<float4, kRows, kBlockSize>
                                                : gemv_warp_rows_kernel<float, kRows, kBlockSize>;
  kernel<<<blocks, kBlockSize, 0, stream>>>(a, x, y, m, k);
}

}  // namespace no_syncwarp
