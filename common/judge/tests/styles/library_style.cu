// matrix_multiplication: a class with a static member function, namespaces, constants, doubles.
#include <cuda_runtime.h>
#include <cstdio>

namespace mine {
constexpr int BLOCK = 16;

struct Launcher {
  static dim3 grid(int columns, int rows) {
    return dim3((columns + BLOCK - 1) / BLOCK, (rows + BLOCK - 1) / BLOCK);
  }
};

template <int B>
__global__ void gemm(const float* A, const float* B_, float* C, int M, int N, int K) {
  __shared__ float As[B][B];
  __shared__ float Bs[B][B];
  int col = blockIdx.x * B + threadIdx.x;
  int row = blockIdx.y * B + threadIdx.y;
  double acc = 0.0;
  for (int t = 0; t < (N + B - 1) / B; t++) {
    As[threadIdx.y][threadIdx.x] =
        row < M && t * B + threadIdx.x < N ? A[row * N + t * B + threadIdx.x] : 0.f;
    Bs[threadIdx.y][threadIdx.x] =
        t * B + threadIdx.y < N && col < K ? B_[(t * B + threadIdx.y) * K + col] : 0.f;
    __syncthreads();
    for (int i = 0; i < B; i++) acc += (double)As[threadIdx.y][i] * Bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < K) C[row * K + col] = (float)acc;
}
}  // namespace mine

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  mine::gemm<mine::BLOCK>
      <<<mine::Launcher::grid(K, M), dim3(mine::BLOCK, mine::BLOCK)>>>(A, B, C, M, N, K);
  cudaDeviceSynchronize();
}
