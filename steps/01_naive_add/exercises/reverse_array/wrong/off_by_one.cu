// reverse_array that swaps element i with element n - i.
//
// The mirror of the first element is n - 1, the last one there is. Element n lies behind the end.
//
// Rejected by: memcheck (out_of_bounds)
#include <cuda_runtime.h>

constexpr int kBlockSize = 256;  // threads in a block

__global__ void reverse_kernel(float* a, int n) {
  const int front = blockIdx.x * blockDim.x + threadIdx.x;
  if (front < n / 2) {  // the middle element of an odd number stays
    const int back = n - front;
    const float value = a[front];
    a[front] = a[back];
    a[back] = value;
  }
}

extern "C" void solve(float* a, int n) {
  const int blocks = n / 2 / kBlockSize + 1;
  reverse_kernel<<<blocks, kBlockSize>>>(a, n);
}
