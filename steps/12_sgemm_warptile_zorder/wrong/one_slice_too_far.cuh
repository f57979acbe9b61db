// sgemm_pack that copies one slice too far ahead.
//
// With as many slices on their way as there are stages, the newest goes to the stage that is being
// read.
//
// May also show: result
// Rejected by: racecheck (race) with --m 130 --n 260 --k 100
#pragma once

#include "../further/1_sgemm_pack.cuh"

namespace one_slice_too_far {

// Starts to copy slices of a tile, and waits for them.
template <class Tile>
struct PanelCopies {
  static constexpr int BM = Tile::BM, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static constexpr int kAhead = Tile::kStages;  // slices that are on their way
  typename Tile::Stage* stages;
  PartOperands operands;

  __device__ typename Tile::Stage& stage(int slice) const { return stages[slice % Tile::kStages]; }

  // A warp copies a row at a time; past the last slice, that one again.
  __device__ void start(int slice) const {
    typename Tile::Stage& to = stage(slice);
    for (int r = threadIdx.x / 32; r < BK; r += kBlockSize / 32) {
      const int k = min(slice, operands.slices - 1) * BK + r;
      const float* const from_A = operands.A + k * std::size_t{BM};
      const float* const from_B =
          k < operands.depth ? operands.B + k * operands.ldb : operands.zeros;
#pragma unroll
      for (int c = threadIdx.x % 32 * 4; c < BM; c += 128) {
        __pipeline_memcpy_async(&to.A[r][c], from_A + c, sizeof(float4));
      }
#pragma unroll
      for (int c = threadIdx.x % 32 * 4; c < Tile::BN; c += 128) {
        if (c >= operands.columns) continue;
        __pipeline_memcpy_async(&to.B[r][c], from_B + c, sizeof(float4));
      }
    }
    __pipeline_commit();
  }

  __device__ void wait(int) const {
    __pipeline_wait_prior(kAhead - 1);  // this thread's copies of the slice have arrived,
    __syncthreads();                    // so have all others', and the stage before is free
  }
};

template <class Tile>
__global__ void __launch_bounds__(Tile::kBlockSize, 1)
    sgemm_pack_kernel(PanelMemory memory, const float* B, float* C, int M, int N, int K,
                      Partition partition, float one) {
  extern __shared__ float4 storage[];
  auto* const stages = reinterpret_cast<typename Tile::Stage*>(storage);  // kStages of them
  wait_for_kernel_ahead();
#pragma unroll 1
  for (int i = 0;; ++i) {
    const TilePart part = part_of_share<Tile>(partition, i, M, N);
    if (part.slices == 0) break;
    const PanelCopies<Tile> copies{stages, part_operands<Tile>(part, memory, B, N, K)};
    const bool whole = part.slices == partition.slices;
    sgemm_pack_multiply_part<Tile>(copies, part, whole, C, N, memory, one);
  }
}

// C has at least one tile, and all rows of B are aligned. `memory`: as sgemm_pack allocates
// it.
template <class Tile>
void sgemm_pack_launch(const float* A, const float* B, float* C, int M, int N, int K,
                       const Partition& partition, float* memory, cudaStream_t stream) {
  constexpr int BM = Tile::BM, BN = Tile::BN, kBlockSize = Tile::kBlockSize;
  const PanelMemory cut = make_panels<Tile>(A, memory, M, K, 2 * partition.sharers, stream);
  const auto kernel = one_slice_too_far::sgemm_pack_kernel<Tile>;
  constexpr int kSharedBytes = Tile::kStages * sizeof(typename Tile::Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  const unsigned tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  const unsigned blocks = tiles - partition.shared + partition.sharers;
  launch_dependent(kernel, blocks, kBlockSize, kSharedBytes, stream, cut, B, C, M, N, K, partition,
                   1.0f);
  if (partition.shared == 0) return;
  constexpr int kManyParts = 16;  // parts of a tile
  const unsigned threads = partition.sharers >= kManyParts * partition.shared ? 4 : 1;
  const dim3 block(kBlockSize / threads, threads), grid(BM * BN / 4 / block.x, partition.shared);
  launch_dependent(sgemm_sum_float4_sum_kernel<Tile>, grid, block, 0, stream, cut.parts, C, M, N,
                   partition);
}

// Matrices smaller than a tile, or with rows of B that are not aligned, go to sgemm_stream_k; so do
// all on a GPU with too little shared memory.
inline void sgemm_pack(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = PanelTile<Tiling<128, 256, 16, 128, 32, 16, 8, 4, 1>>;
  constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  if (M < BM || N < BN || K < 1 || !aligned || !stages_fit<Tile>()) {
    return sgemm_stream_k(A, B, C, M, N, K, stream);
  }
  const int shared = ((M - 1) / BM + 1) * ((N - 1) / BN + 1) % multiprocessors();
  const int slices = (K - 1) / BK + 1;
  const int sharers = std::min<std::int64_t>(multiprocessors(), std::int64_t{shared} * slices);
  const std::size_t floats = panel_memory_floats(BM, BN, M, K, 2 * sharers);
  float* memory = nullptr;
  if (cudaMallocAsync(&memory, floats * sizeof(float), stream) != cudaSuccess) {
    cudaGetLastError();
    return sgemm_stream_k(A, B, C, M, N, K, stream);
  }
  one_slice_too_far::sgemm_pack_launch<Tile>(A, B, C, M, N, K, {slices, shared, sharers}, memory,
                                             stream);
  cudaFreeAsync(memory, stream);
}

}  // namespace one_slice_too_far
