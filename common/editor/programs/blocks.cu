// Two blocks that wait for each other, one of them in a loop, for debugger_test.py.
#include <cstdio>

__global__ void both(volatile int* flags) {
  const int b = blockIdx.x;
  flags[b] = 1;
  while (flags[1 - b] == 0) continue;
  __threadfence();
  if (b == 1) flags[2] = 1;  // the other one spins
  while (flags[2] == 0) continue;
}

// Lane 0 waits for lane 1, which comes after it.
__global__ void lanes(volatile int* flag) {
  if (threadIdx.x == 0) {
    while (*flag == 0) continue;
  } else {
    *flag = 1;
  }
}

int main() {
  int* flags;
  cudaMallocManaged(&flags, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) flags[i] = 0;
  both<<<2, dim3(2, 2)>>>(flags);
  lanes<<<1, 2>>>(flags + 3);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
