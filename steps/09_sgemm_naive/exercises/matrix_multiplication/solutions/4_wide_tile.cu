// The thread tile of the third solution in blocks of 128 x 128 elements of C: each element that is
// read from global memory is used 128 times instead of 64, and a block has 256 threads, which hide
// each other's latencies.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 128, kDepth = 8;     // of C; along the sum
constexpr int kPerThread = 8;              // rows and columns of C per thread
constexpr int kSide = kTile / kPerThread;  // threads of a block per side
constexpr int kThreads = kSide * kSide;

__global__ void __launch_bounds__(kThreads)
    matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float tile_a[kDepth][kTile + 4];  // transposed; padded, as it is stored by columns
  __shared__ float tile_b[kDepth][kTile];
  const unsigned tiles_across = (K - 1) / kTile + 1;
  const int top = blockIdx.x / tiles_across * kTile, left = blockIdx.x % tiles_across * kTile;
  const int ty = threadIdx.x / kSide, tx = threadIdx.x % kSide;

  float sum[kPerThread][kPerThread] = {};
  for (int first = 0; first < N; first += kDepth) {
#pragma unroll
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      const int row = top + i / kDepth, n = first + i % kDepth;
      tile_a[i % kDepth][i / kDepth] = row < M && n < N ? A[std::size_t(row) * N + n] : 0.0f;
    }
#pragma unroll
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      const int n = first + i / kTile, col = left + i % kTile;
      tile_b[i / kTile][i % kTile] = n < N && col < K ? B[std::size_t(n) * K + col] : 0.0f;
    }
    __syncthreads();  // the tiles are complete
#pragma unroll
    for (int n = 0; n < kDepth; ++n) {
      float a[kPerThread], b[kPerThread];
      for (int i = 0; i < kPerThread; ++i) a[i] = tile_a[n][ty + i * kSide];
      for (int j = 0; j < kPerThread; ++j) b[j] = tile_b[n][tx + j * kSide];
      for (int i = 0; i < kPerThread; ++i)
        for (int j = 0; j < kPerThread; ++j) sum[i][j] += a[i] * b[j];
    }
    __syncthreads();  // and now free for the next ones
  }
  for (int i = 0; i < kPerThread; ++i) {
    const int row = top + ty + i * kSide;
    for (int j = 0; j < kPerThread; ++j) {
      const int col = left + tx + j * kSide;
      if (row < M && col < K) C[std::size_t(row) * K + col] = sum[i][j];
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const unsigned tiles = ((M - 1) / kTile + 1) * ((K - 1) / kTile + 1);
  matmul_kernel<<<tiles, kThreads>>>(A, B, C, M, N, K);
}
