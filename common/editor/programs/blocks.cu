// Two blocks that wait for each other in loops, for debugger_test.py. Nobody leaves the last loop
// before the line that the test stops at.
#include <cstdio>

__global__ void both(volatile int* flags) {
  const int b = blockIdx.x;
  flags[b] = 1;
  while (flags[1 - b] == 0) continue;
  __threadfence();
  if (b == 1 && threadIdx.y == 1) flags[2] = 1;  // all others spin
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
