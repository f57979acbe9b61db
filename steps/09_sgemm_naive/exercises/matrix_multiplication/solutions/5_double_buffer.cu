// The fourth solution with two buffers: while one slice is multiplied, the next one is on its way
// from global memory to registers, and goes to the other buffer afterward. Nobody waits for memory
// with nothing to do, and one barrier per slice is enough.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 128, kDepth = 8;     // of C; along the sum
constexpr int kPerThread = 8;              // rows and columns of C per thread
constexpr int kSide = kTile / kPerThread;  // threads of a block per side
constexpr int kThreads = kSide * kSide;
constexpr int kPerCopy = kTile * kDepth / kThreads;  // elements of a slice that a thread copies

// A thread's part of a slice of A and of B; zeros outside, which add nothing.
struct Slice {
  float a[kPerCopy], b[kPerCopy];
};

__device__ Slice load(const float* A, const float* B, int top, int left, int first, int M, int N,
                      int K) {
  Slice slice;
#pragma unroll
  for (int i = 0; i < kPerCopy; ++i) {
    const int at = i * kThreads + threadIdx.x;
    const int row = top + at / kDepth, n = first + at % kDepth;
    slice.a[i] = row < M && n < N ? A[std::size_t(row) * N + n] : 0.0f;
    const int depth = first + at / kTile, col = left + at % kTile;
    slice.b[i] = depth < N && col < K ? B[std::size_t(depth) * K + col] : 0.0f;
  }
  return slice;
}

__device__ void store(const Slice& slice, float (*a)[kTile + 4], float (*b)[kTile]) {
#pragma unroll
  for (int i = 0; i < kPerCopy; ++i) {
    const int at = i * kThreads + threadIdx.x;
    a[at % kDepth][at / kDepth] = slice.a[i];  // transposed
    b[at / kTile][at % kTile] = slice.b[i];
  }
}

__global__ void __launch_bounds__(kThreads)
    matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float tile_a[2][kDepth][kTile + 4], tile_b[2][kDepth][kTile];
  const unsigned tiles_across = (K - 1) / kTile + 1;
  const int top = blockIdx.x / tiles_across * kTile, left = blockIdx.x % tiles_across * kTile;
  const int ty = threadIdx.x / kSide, tx = threadIdx.x % kSide;

  float sum[kPerThread][kPerThread] = {};
  store(load(A, B, top, left, 0, M, N, K), tile_a[0], tile_b[0]);
  __syncthreads();
  int turn = 0;
  for (int first = 0; first < N; first += kDepth) {
    const bool more = first + kDepth < N;
    Slice next;
    if (more) next = load(A, B, top, left, first + kDepth, M, N, K);
#pragma unroll
    for (int n = 0; n < kDepth; ++n) {
      float a[kPerThread], b[kPerThread];
      for (int i = 0; i < kPerThread; ++i) a[i] = tile_a[turn][n][ty + i * kSide];
      for (int j = 0; j < kPerThread; ++j) b[j] = tile_b[turn][n][tx + j * kSide];
      for (int i = 0; i < kPerThread; ++i)
        for (int j = 0; j < kPerThread; ++j) sum[i][j] += a[i] * b[j];
    }
    if (more) store(next, tile_a[1 - turn], tile_b[1 - turn]);
    __syncthreads();  // the next slice is there, and this one's buffer free
    turn = 1 - turn;
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
