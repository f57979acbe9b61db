// reverse_array with a thread for each element instead of each pair.
//
// Threads i and n - 1 - i both swap the same two elements. If one is done before the other starts,
// all is back where it was; if they meet, anything may come out.
//
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

constexpr int kBlockSize = 256;  // threads in a block

__global__ void reverse_kernel(float* a, int n) {
  const int front = blockIdx.x * blockDim.x + threadIdx.x;
  if (front < n) {
    const int back = n - 1 - front;
    const float value = a[front];
    a[front] = a[back];
    a[back] = value;
  }
}

extern "C" void solve(float* a, int n) {
  const int blocks = (n - 1) / kBlockSize + 1;
  reverse_kernel<<<blocks, kBlockSize>>>(a, n);
}
