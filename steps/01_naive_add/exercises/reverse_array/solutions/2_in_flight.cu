// Four pairs a thread, all read before the first is written. 128-bit accesses would need both ends
// to be aligned, which they are for one n in four; more loads under way help for every n.
#include <cuda_runtime.h>

constexpr int kBlockSize = 256;                // threads in a block
constexpr int kInFlight = 4;                   // pairs a thread asks for at once
constexpr int kTile = kBlockSize * kInFlight;  // pairs one block swaps

__global__ void reverse_kernel(float* a, int n) {
  const int pairs = n / 2;  // the middle element of an odd number stays
  const int first = blockIdx.x * kTile + threadIdx.x;
  float front[kInFlight] = {};
  float back[kInFlight] = {};
#pragma unroll
  for (int k = 0; k < kInFlight; ++k) {
    const int i = first + k * kBlockSize;  // a warp's elements are neighbors, on both ends
    if (i < pairs) {
      front[k] = a[i];
      back[k] = a[n - 1 - i];
    }
  }
#pragma unroll
  for (int k = 0; k < kInFlight; ++k) {
    const int i = first + k * kBlockSize;
    if (i < pairs) {
      a[i] = back[k];
      a[n - 1 - i] = front[k];
    }
  }
}

extern "C" void solve(float* a, int n) {
  const int blocks = n / 2 / kTile + 1;
  reverse_kernel<<<blocks, kBlockSize>>>(a, n);
}
