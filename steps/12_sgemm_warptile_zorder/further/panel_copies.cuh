// Load of a slice with asynchronous copies of four floats each.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>

#include "panels.cuh"
#include "tile_part.cuh"

// Starts to copy slices of a tile, and waits for them.
template <class Tile>
struct PanelCopies {
  static constexpr int BM = Tile::BM, BK = Tile::BK, kBlockSize = Tile::kBlockSize;
  static constexpr int kAhead = Tile::kStages - 1;  // slices that are on their way
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
