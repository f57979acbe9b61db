// A block copies 16 rows of two column ranges to shared memory, and each thread multiplies four
// values of one range with four of the other: 16 FMAs for 8 loads.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 64, kDepth = 16, kPerThread = 4;  // of C; along the sum; per thread and side
constexpr int kSide = kTile / kPerThread;               // threads of a block per side
constexpr int kThreads = kSide * kSide;

// Rows first ... first + kDepth - 1 of columns left ...; zeros outside A, which add nothing.
__device__ void copy(float (*tile)[kTile], const float* A, int first, int left, int M, int N) {
  for (int i = threadIdx.x; i < kDepth * kTile; i += kThreads) {
    const int m = first + i / kTile, col = left + i % kTile;
    tile[i / kTile][i % kTile] = m < M && col < N ? A[std::size_t(m) * N + col] : 0.0f;
  }
}

__global__ void __launch_bounds__(kThreads) gram_kernel(const float* A, float* G, int M, int N) {
  __shared__ float tile_i[kDepth][kTile], tile_j[kDepth][kTile];
  const int top = blockIdx.y * kTile, left = blockIdx.x * kTile;  // fade 2
  const int ty = threadIdx.x / kSide, tx = threadIdx.x % kSide;   // fade 2
  float sum[kPerThread][kPerThread] = {};                         // fade 2
  for (int first = 0; first < M; first += kDepth) {
    copy(tile_i, A, first, top, M, N);   // fade 2
    copy(tile_j, A, first, left, M, N);  // fade 1
    __syncthreads();
    for (int m = 0; m < kDepth; ++m) {
      float a[kPerThread], b[kPerThread];  // fade 2
      // A thread's columns lie kSide apart, so that neighboring threads read neighboring words.
      for (int k = 0; k < kPerThread; ++k) a[k] = tile_i[m][ty + k * kSide];  // fade 2
      for (int k = 0; k < kPerThread; ++k) b[k] = tile_j[m][tx + k * kSide];  // fade 2
      for (int i = 0; i < kPerThread; ++i)
        for (int j = 0; j < kPerThread; ++j) sum[i][j] += a[i] * b[j];  // fade 1
    }
    __syncthreads();  // the tiles are free for the next rows
  }
  for (int i = 0; i < kPerThread; ++i)
    for (int j = 0; j < kPerThread; ++j) {
      const int row = top + ty + i * kSide, col = left + tx + j * kSide;  // fade 1
      if (row < N && col < N) G[std::size_t(row) * N + col] = sum[i][j];
    }
}

extern "C" void solve(const float* A, float* G, int M, int N) {
  const int tiles = (N + kTile - 1) / kTile;
  gram_kernel<<<dim3(tiles, tiles), kThreads>>>(A, G, M, N);
}
