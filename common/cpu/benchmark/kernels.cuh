// The kernels that the benchmark times: seven from textbooks. Sizes are multiples of the tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block of the vectors' kernels
constexpr int kWarpSize = 32;
constexpr int kTile = 32;   // side of a tile of the transposes
constexpr int kSmall = 16;  // side of the small tiles of the product

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// A tree in shared memory; log2(kBlockSize) + 1 barriers.
__global__ void sum_tree_kernel(const float* x, float* sum, std::size_t n) {
  __shared__ float partial[kBlockSize];
  const std::size_t i = std::size_t{blockIdx.x} * kBlockSize + threadIdx.x;
  partial[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (unsigned half = kBlockSize / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

__device__ inline float warp_sum(float value) {
  constexpr unsigned kAllLanes = 0xffffffff;
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value += __shfl_down_sync(kAllLanes, value, half);
  }
  return value;
}

// Shuffles inside the warps, one barrier, and shuffles again over what the warps have.
__global__ void sum_shuffle_kernel(const float* x, float* sum, std::size_t n) {
  constexpr unsigned kWarps = kBlockSize / kWarpSize;
  __shared__ float partial[kWarps];
  const unsigned lane = threadIdx.x % kWarpSize;
  const unsigned warp = threadIdx.x / kWarpSize;
  const std::size_t i = std::size_t{blockIdx.x} * kBlockSize + threadIdx.x;
  float value = warp_sum(i < n ? x[i] : 0.0f);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < kWarps ? partial[lane] : 0.0f);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

// Blocks of kTile x kRows threads, each of which moves kTile / kRows elements.
template <int kRows>
__global__ void transpose_kernel(const float* in, float* out, std::size_t n) {
  __shared__ float tile[kTile][kTile + 1];
  const std::size_t top = std::size_t{blockIdx.y} * kTile;
  const std::size_t left = std::size_t{blockIdx.x} * kTile;
  for (unsigned row = threadIdx.y; row < kTile; row += kRows) {
    tile[row][threadIdx.x] = in[(top + row) * n + left + threadIdx.x];
  }
  __syncthreads();
  for (unsigned row = threadIdx.y; row < kTile; row += kRows) {
    out[(left + row) * n + top + threadIdx.x] = tile[threadIdx.x][row];
  }
}

// A thread computes one element of C from tiles of kSmall x kSmall.
__global__ void multiply_kernel(const float* A, const float* B, float* C, std::size_t n) {
  __shared__ float As[kSmall][kSmall];
  __shared__ float Bs[kSmall][kSmall];
  const std::size_t row = std::size_t{blockIdx.y} * kSmall + threadIdx.y;
  const std::size_t col = std::size_t{blockIdx.x} * kSmall + threadIdx.x;
  float sum = 0.0f;
  for (std::size_t first = 0; first < n; first += kSmall) {
    As[threadIdx.y][threadIdx.x] = A[row * n + first + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(first + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < kSmall; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

// A block computes a tile of C, (BM, BN), in steps of BK along K; a thread (TM, TN) of it.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void multiply_tiled_kernel(const float* A, const float* B, float* C, std::size_t n) {
  constexpr int kThreads = (BM / TM) * (BN / TN);
  static_assert(BM * BK % kThreads == 0 && BK * BN % kThreads == 0);
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];
  A += std::size_t{blockIdx.y} * BM * n;                                 // (BM, n)
  B += std::size_t{blockIdx.x} * BN;                                     // (n, BN)
  C += std::size_t{blockIdx.y} * BM * n + std::size_t{blockIdx.x} * BN;  // (BM, BN)
  const unsigned row = threadIdx.x / (BN / TN) * TM;
  const unsigned col = threadIdx.x % (BN / TN) * TN;

  float sum[TM][TN] = {};
  for (std::size_t first = 0; first < n; first += BK) {
    for (unsigned i = threadIdx.x; i < BM * BK; i += kThreads) {
      As[i / BK][i % BK] = A[i / BK * n + first + i % BK];
    }
    for (unsigned i = threadIdx.x; i < BK * BN; i += kThreads) {
      Bs[i / BN][i % BN] = B[(first + i / BN) * n + i % BN];
    }
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      for (int r = 0; r < TM; ++r) a[r] = As[row + r][k];
      for (int c = 0; c < TN; ++c) b[c] = Bs[k][col + c];
      for (int r = 0; r < TM; ++r) {
        for (int c = 0; c < TN; ++c) sum[r][c] += a[r] * b[c];
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r) {
    for (int c = 0; c < TN; ++c) C[(row + r) * n + col + c] = sum[r][c];
  }
}
