// Load of a slice with asynchronous copies of four floats each.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>

// Starts to copy slices of a tile, and waits for them.
template <class Tile>
struct PanelCopies {
  static constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static constexpr int kAhead = Tile::kStages - 1;  // slices that are on their way
  typename Tile::Stage* stages;
  const float *A, *B;  // a panel, (K, BM), and columns of B, (K, BN)
  std::size_t ldb;
  int slices;

  __device__ typename Tile::Stage& stage(int slice) const { return stages[slice % Tile::kStages]; }

  // Nothing is copied past the last slice, but wait() counts on a group per slice.
  __device__ void start(int slice) const {
    if (slice < slices) {
      typename Tile::Stage& to = stage(slice);
#pragma unroll
      for (int i = 4 * threadIdx.x; i < BK * BM; i += 4 * kBlockSize) {
        const float* const from = A + slice * std::size_t{BK * BM} + i;
        __pipeline_memcpy_async(&to.A[i / BM][i % BM], from, sizeof(float4));
      }
#pragma unroll
      for (int i = 4 * threadIdx.x; i < BK * BN; i += 4 * kBlockSize) {
        const float* const from = B + (slice * BK + i / BN) * ldb + i % BN;
        __pipeline_memcpy_async(&to.B[i / BN][i % BN], from, sizeof(float4));
      }
    }
    __pipeline_commit();
  }

  __device__ void wait(int) const {
    __pipeline_wait_prior(kAhead - 1);  // this thread's copies of the slice have arrived,
    __syncthreads();                    // so have all others', and the stage before is free
  }
};
