// A thread swaps one pair: it alone touches these two elements, so no thread waits for another, and
// nothing is overwritten before it was read. Half as many threads as elements are enough.
#include <cuda_runtime.h>

constexpr int kBlockSize = 256;  // threads in a block

__global__ void reverse_kernel(float* a, int n) {
  const int front = blockIdx.x * blockDim.x + threadIdx.x;
  if (front < n / 2) {  // the middle element of an odd number stays
    const int back = n - 1 - front;
    const float value = a[front];
    a[front] = a[back];
    a[back] = value;
  }
}

extern "C" void solve(float* a, int n) {
  const int blocks = n / 2 / kBlockSize + 1;
  reverse_kernel<<<blocks, kBlockSize>>>(a, n);
}
