// softmax_cluster without its barrier.
//
// A warp puts the results of all warps together when some of them have not left theirs in shared
// memory yet.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race) with --rows 9 --cols 1000
#pragma once

#include "../kernel.cuh"

namespace merge_early {

__device__ inline Part merge_early(Part part, Part (&partial)[kWarpSize]) {
  const int lane = threadIdx.x % kWarpSize;
  part = group_merge<kWarpSize>(part);
  if (lane == 0) {
    partial[threadIdx.x / kWarpSize] = part;
  }
  const int warps = blockDim.x / kWarpSize;
  return group_merge<kWarpSize>(lane < warps ? partial[lane] : Part{kBelowAll, 0.0f});
}

template <int kThreads, int kFloats, bool kAligned>
__global__ void __launch_bounds__(kThreads, std::min(kSmThreads<kFloats> / kThreads, 32))
    softmax_cluster_kernel(const float* x, float* y, std::size_t rows, unsigned cols,
                           unsigned ahead) {
  // A row that starts off 16 bytes has one pack more than its length tells.
  constexpr int kPacks = kFloats / 4 + (kAligned ? 0 : 1);
  __shared__ Part parts[kWarpSize];  // of warps
  const std::size_t row = blockIdx.x;
  const unsigned shift = kAligned ? 0 : misalignment(x + row * cols);
  const float* const in = x + row * cols - shift;
  float* const out = y + row * cols - shift;
  const Span span = {shift, shift + cols};

  float part[kPacks][4];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (float& value : part[p]) value = -INFINITY;
    load_span<kAligned>(in, span, threadIdx.x + p * kThreads, part[p]);
  }

  // Memory need not be idle while the threads compute: L2 fetches a row for a later block.
  if (threadIdx.x == 0 && row + ahead < rows) prefetch(x + (row + ahead) * cols, cols);

  Part own = {kBelowAll, 0.0f};
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (const float value : part[p]) own.max = fmaxf(own.max, value);
  }
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (float& value : part[p]) {
      value = fast_exp(value - own.max);
      own.sum += value;
    }
  }
  const Part all = merge_early(own, parts);
  const float scale = fast_exp(own.max - all.max) / all.sum;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (float& value : part[p]) value *= scale;
    store_span<kAligned>(out, span, threadIdx.x + p * kThreads, part[p]);
  }
}

inline void softmax_cluster(const float* x, float* y, std::size_t rows, std::size_t cols,
                            cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const auto grid = static_cast<unsigned>(rows);
  const auto n = static_cast<unsigned>(cols);
  softmax_cluster_kernel<64, kFewFloats, true><<<grid, 64, 0, stream>>>(x, y, rows, n, 0);
}

}  // namespace merge_early
