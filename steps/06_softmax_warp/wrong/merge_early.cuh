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

template <int kThreads, int kFloats, bool kAligned, bool kCluster>
__global__ void __launch_bounds__(kThreads, std::min(kSmThreads<kFloats> / kThreads, 32))
    softmax_cluster_kernel(const float* x, float* y, std::size_t rows, unsigned cols,
                           unsigned ahead) {
  // A row that starts off 16 bytes has one pack more than its length tells.
  constexpr int kPacks = kFloats / 4 + (kAligned ? 0 : 1);
  constexpr unsigned kBlockCols = kThreads * kFloats;
  __shared__ Part warp_part[kWarpSize];
  __shared__ Part block_part[kMaxClusterBlocks];
  if constexpr (kCluster) join_cluster();
  const unsigned blocks = kCluster ? cluster_blocks() : 1;                 // that share a row
  const unsigned first_thread = kCluster ? cluster_rank() * kThreads : 0;  // of the block, in a row
  const unsigned first_pack = first_thread * kPacks + threadIdx.x;
  const std::size_t row = blockIdx.x / blocks;
  const unsigned shift = kAligned ? 0 : misalignment(x + row * cols);
  const float* const in = x + row * cols - shift;
  float* const out = y + row * cols - shift;
  const Span span = {shift, shift + cols};

  float part[kPacks][4];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (float& value : part[p]) value = -INFINITY;
    load_span<kAligned>(in, span, first_pack + p * kThreads, part[p]);
  }

  // Memory need not be idle while the threads compute: L2 fetches a row for a later block.
  const unsigned first_col = first_thread * kFloats;
  if (threadIdx.x == 0 && row + ahead < rows && first_col < cols) {
    prefetch(x + (row + ahead) * cols + first_col, min(cols - first_col, kBlockCols));
  }

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
  Part all = merge_early(own, warp_part);
  if constexpr (kCluster) {
    tell_cluster(all, block_part);
    const unsigned lane = threadIdx.x % kWarpSize;
    all = group_merge<kWarpSize>(lane < blocks ? block_part[lane] : Part{kBelowAll, 0.0f});
  }

  const float scale = fast_exp(own.max - all.max) / all.sum;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    for (float& value : part[p]) value *= scale;
    store_span<kAligned>(out, span, first_pack + p * kThreads, part[p]);
  }
}

inline void softmax_cluster(const float* x, float* y, std::size_t rows, std::size_t cols,
                            cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const auto grid = static_cast<unsigned>(rows);
  const auto n = static_cast<unsigned>(cols);
  softmax_cluster_kernel<64, kFewFloats, true, false><<<grid, 64, 0, stream>>>(x, y, rows, n, 0);
}

}  // namespace merge_early
