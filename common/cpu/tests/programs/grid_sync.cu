// One kernel for a sum and its use, with a barrier of the whole grid; launched by address, once as
// a function and once as an instance of a template.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void normalize(double* x, double* sum, int n) {
  cg::grid_group grid = cg::this_grid();
  double local = 0.0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) local += x[i];
  atomicAdd(sum, local);
  grid.sync();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] /= *sum;
}

template <typename T, int STEPS>
__global__ void rotate(T* even, T* odd, int n) {
  auto grid = cg::this_grid();
  for (int step = 0; step < STEPS; ++step) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) odd[(i + 1) % n] = even[i];
    grid.sync();
    T* swap = even;
    even = odd;
    odd = swap;
  }
}

int main() {
  int device = 0, supported = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device));
  EXPECT(supported == 1);

  int n = 1'024, blocks = 2, threads = 64;
  double *x, *sum;
  CUDA_CHECK(cudaMallocManaged(&x, n * sizeof(double)));
  CUDA_CHECK(cudaMallocManaged(&sum, sizeof(double)));
  for (int i = 0; i < n; ++i) x[i] = i % 4;
  *sum = 0.0;
  void* arguments[] = {&x, &sum, &n};
  CUDA_CHECK(cudaLaunchCooperativeKernel((void*)normalize, blocks, threads, arguments));
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(*sum == 1.5 * n);
  for (int i = 0; i < n; ++i) EXPECT(x[i] == i % 4 / *sum);

  int *even, *odd;
  CUDA_CHECK(cudaMallocManaged(&even, n * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&odd, n * sizeof(int)));
  for (int i = 0; i < n; ++i) even[i] = i;
  void* rotate_arguments[] = {(void*)&even, (void*)&odd, (void*)&n};
  CUDA_CHECK(cudaLaunchCooperativeKernel((void*)rotate<int, 3>, dim3(blocks), dim3(threads),
                                         rotate_arguments, 0, 0));
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(odd[(i + 3) % n] == i);
  for (void* p : {(void*)x, (void*)sum, (void*)even, (void*)odd}) CUDA_CHECK(cudaFree(p));
}
