// pairwise_distances that copies the next dimensions while some warps still use these.
//
// The barrier at the end of a round is missing.
//
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 64, kDepth = 16, kPerThread = 4;  // of C; along the sum; per thread and side
constexpr int kSide = kTile / kPerThread;               // threads of a block per side
constexpr int kThreads = kSide * kSide;

// Dimensions first ... first + kDepth - 1 of points begin ...; zeros where there are none.
__device__ void copy(float (*tile)[kTile + 1], const float* points, int begin, int count, int first,
                     int dims) {
  for (int i = threadIdx.x; i < kDepth * kTile; i += kThreads) {
    const int point = begin + i / kDepth, d = first + i % kDepth;
    const bool there = point < count && d < dims;
    tile[i % kDepth][i / kDepth] = there ? points[std::size_t(point) * dims + d] : 0.0f;
  }
}

__global__ void __launch_bounds__(kThreads)
    distances_kernel(const float* X, const float* Y, float* D, int M, int N, int dims) {
  __shared__ float tile_x[kDepth][kTile + 1], tile_y[kDepth][kTile + 1];  // padded
  const int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
  const int ty = threadIdx.x / kSide, tx = threadIdx.x % kSide;
  float sum[kPerThread][kPerThread] = {};
  for (int first = 0; first < dims; first += kDepth) {
    copy(tile_x, X, top, M, first, dims);
    copy(tile_y, Y, left, N, first, dims);
    __syncthreads();
    for (int d = 0; d < kDepth; ++d) {
      float x[kPerThread], y[kPerThread];
      for (int k = 0; k < kPerThread; ++k) x[k] = tile_x[d][ty + k * kSide];
      for (int k = 0; k < kPerThread; ++k) y[k] = tile_y[d][tx + k * kSide];
      for (int i = 0; i < kPerThread; ++i)
        for (int j = 0; j < kPerThread; ++j) sum[i][j] += (x[i] - y[j]) * (x[i] - y[j]);
    }
  }
  for (int i = 0; i < kPerThread; ++i)
    for (int j = 0; j < kPerThread; ++j) {
      const int row = top + ty + i * kSide, col = left + tx + j * kSide;
      if (row < M && col < N) D[std::size_t(row) * N + col] = sum[i][j];
    }
}

extern "C" void solve(const float* X, const float* Y, float* D, int M, int N, int dims) {
  const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
  distances_kernel<<<grid, kThreads>>>(X, Y, D, M, N, dims);
}
