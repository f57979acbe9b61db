// A product of matrices over tiles in dynamic shared memory: two arrays carved out of one, blocks
// and grids of two dimensions, sizes that do not divide.
#include <vector>

#include "check.h"

__global__ void multiply(float* C, const float* A, const float* B, int m, int n, int k) {
  extern __shared__ float tiles[];
  const int side = blockDim.x;
  float* tile_a = tiles;                // (side, side)
  float* tile_b = tiles + side * side;  // (side, side)

  const int row = blockIdx.y * side + threadIdx.y;
  const int col = blockIdx.x * side + threadIdx.x;
  float sum = 0.0f;
  for (int tile = 0; tile < k; tile += side) {
    const int a_col = tile + threadIdx.x;
    const int b_row = tile + threadIdx.y;
    tile_a[threadIdx.y * side + threadIdx.x] = row < m && a_col < k ? A[row * k + a_col] : 0.0f;
    tile_b[threadIdx.y * side + threadIdx.x] = b_row < k && col < n ? B[b_row * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < side; ++i)
      sum += tile_a[threadIdx.y * side + i] * tile_b[i * side + threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = sum;
}

int main() {
  const int m = 70, n = 45, k = 53;
  std::vector<float> A(m * k), B(k * n), C(m * n);
  for (int i = 0; i < m * k; ++i) A[i] = i % 7 - 3;
  for (int i = 0; i < k * n; ++i) B[i] = i % 5 - 2;

  float *d_A, *d_B, *d_C;
  CUDA_CHECK(cudaMalloc(&d_A, A.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_B, B.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_C, C.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_A, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_B, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

  const int side = 16;
  dim3 block(side, side);
  dim3 grid((n + side - 1) / side, (m + side - 1) / side);
  multiply<<<grid, block, 2 * side * side * sizeof(float)>>>(d_C, d_A, d_B, m, n, k);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(C.data(), d_C, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

  for (int row = 0; row < m; ++row)
    for (int col = 0; col < n; ++col) {
      float sum = 0.0f;
      for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + col];
      EXPECT(C[row * n + col] == sum);
    }
  cudaFree(d_A);
  cudaFree(d_B);
  cudaFree(d_C);
}
