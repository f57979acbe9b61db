// reverse_array without a place to keep the value that is overwritten.
//
// The second half goes to the front, and then comes back: the first half is lost.
//
// Rejected by: result
#include <cuda_runtime.h>

constexpr int kBlockSize = 256;  // threads in a block

__global__ void reverse_kernel(float* a, int n) {
  const int front = blockIdx.x * blockDim.x + threadIdx.x;
  if (front < n / 2) {  // the middle element of an odd number stays
    const int back = n - 1 - front;
    a[front] = a[back];
    a[back] = a[front];
  }
}

extern "C" void solve(float* a, int n) {
  const int blocks = n / 2 / kBlockSize + 1;
  reverse_kernel<<<blocks, kBlockSize>>>(a, n);
}
