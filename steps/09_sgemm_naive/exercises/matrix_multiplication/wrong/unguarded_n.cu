// matrix_multiplication that does not guard the end of N when it copies A.
//
// The last tile of A then has elements of the next row, times the zeros that B has there. The
// result is right, unless one of them is NaN or the memory ends.
//
// Rejected by: memcheck (out_of_bounds)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kTile = 32;  // side of a tile; a warp is one row of a block

__global__ void __launch_bounds__(kTile* kTile)
    matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const unsigned tiles_across = (K - 1) / kTile + 1;
  const int row = blockIdx.x / tiles_across * kTile + threadIdx.y;
  const int col = blockIdx.x % tiles_across * kTile + threadIdx.x;

  float sum = 0.0f;
  for (int first = 0; first < N; first += kTile) {
    const int col_a = first + threadIdx.x;
    const int row_b = first + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < M ? A[std::size_t(row) * N + col_a] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] =
        row_b < N && col < K ? B[std::size_t(row_b) * K + col] : 0.0f;
    __syncthreads();  // the tiles are complete
    for (int n = 0; n < kTile; ++n) sum += tile_a[threadIdx.y][n] * tile_b[n][threadIdx.x];
    __syncthreads();  // and now free for the next ones
  }
  if (row < M && col < K) C[std::size_t(row) * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(kTile, kTile);
  const unsigned tiles = ((M - 1) / kTile + 1) * ((K - 1) / kTile + 1);
  matmul_kernel<<<tiles, block>>>(A, B, C, M, N, K);
}
