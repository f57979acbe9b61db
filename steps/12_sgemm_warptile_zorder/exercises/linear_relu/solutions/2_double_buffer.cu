// Tiles of 64 x 64 with 4 x 4 sums per thread. While a slice is multiplied, the next one is on its
// way to registers, and there is one barrier per slice. The epilogue adds the bias and takes the
// maximum.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 64, kDepth = 16, kPerThread = 4;  // of C; along the sum; per thread and side
constexpr int kSide = kTile / kPerThread;               // threads of a block per side
constexpr int kThreads = kSide * kSide;
constexpr int kPerCopy = kTile * kDepth / kThreads;  // elements of a slice that a thread copies

// A thread's part of a slice of X and of W, zeros outside.
struct Slice {
  float x[kPerCopy], w[kPerCopy];
};

__device__ Slice load(const float* X, const float* W, int top, int left, int first, int M, int N,
                      int K) {
  Slice slice;
#pragma unroll
  for (int i = 0; i < kPerCopy; ++i) {
    const int at = i * kThreads + threadIdx.x;
    const int row = top + at / kDepth, k = first + at % kDepth;
    slice.x[i] = row < M && k < K ? X[std::size_t(row) * K + k] : 0.0f;
    const int depth = first + at / kTile, col = left + at % kTile;
    slice.w[i] = depth < K && col < N ? W[std::size_t(depth) * N + col] : 0.0f;
  }
  return slice;
}

__device__ void store(const Slice& slice, float (*x)[kTile + 1], float (*w)[kTile]) {
#pragma unroll
  for (int i = 0; i < kPerCopy; ++i) {
    const int at = i * kThreads + threadIdx.x;
    x[at % kDepth][at / kDepth] = slice.x[i];  // transposed
    w[at / kTile][at % kTile] = slice.w[i];
  }
}

__global__ void __launch_bounds__(kThreads)
    linear_relu_kernel(const float* X, const float* W, const float* b, float* Y, int M, int N,
                       int K) {
  __shared__ float x[2][kDepth][kTile + 1], w[2][kDepth][kTile];
  const int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
  const int ty = threadIdx.x / kSide, tx = threadIdx.x % kSide;
  float sum[kPerThread][kPerThread] = {};
  store(load(X, W, top, left, 0, M, N, K), x[0], w[0]);
  __syncthreads();
  int turn = 0;
  for (int first = 0; first < K; first += kDepth) {
    const bool more = first + kDepth < K;
    Slice next;
    if (more) next = load(X, W, top, left, first + kDepth, M, N, K);
    for (int k = 0; k < kDepth; ++k) {
      float a[kPerThread], c[kPerThread];
      for (int i = 0; i < kPerThread; ++i) a[i] = x[turn][k][ty + i * kSide];
      for (int j = 0; j < kPerThread; ++j) c[j] = w[turn][k][tx + j * kSide];
      for (int i = 0; i < kPerThread; ++i)
        for (int j = 0; j < kPerThread; ++j) sum[i][j] += a[i] * c[j];
    }
    if (more) store(next, x[1 - turn], w[1 - turn]);
    __syncthreads();  // the next slice is there, and this one free
    turn = 1 - turn;
  }
  for (int j = 0; j < kPerThread; ++j) {
    const int col = left + tx + j * kSide;
    if (col >= N) continue;
    const float bias = b[col];
    for (int i = 0; i < kPerThread; ++i) {
      const int row = top + ty + i * kSide;
      if (row < M) Y[std::size_t(row) * N + col] = fmaxf(sum[i][j] + bias, 0.0f);
    }
  }
}

extern "C" void solve(const float* X, const float* W, const float* b, float* Y, int M, int N,
                      int K) {
  const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  linear_relu_kernel<<<grid, kThreads>>>(X, W, b, Y, M, N, K);
}
