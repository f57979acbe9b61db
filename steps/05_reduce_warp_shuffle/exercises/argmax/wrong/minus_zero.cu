// argmax that packs a value's bits and its index into one number, whatever zero these bits are of.
//
// 0 and -0 are equal, and of equal elements the first one counts. Their bits differ, so that here
// any 0 is larger than a -0 before it.
//
// Rejected by: result
#include <cuda_runtime.h>

constexpr int kThreads = 256;

using Key = unsigned long long;

__device__ Key best_key;

__device__ Key key_of(float value, int index) {
  unsigned bits = __float_as_uint(value);
  bits ^= bits >> 31 ? 0xffffffffu : 0x80000000u;
  return Key{bits} << 32 | ~unsigned(index);
}

__global__ void argmax_kernel(const float* input, int N) {
  const int first = blockIdx.x * kThreads + threadIdx.x;
  if (first >= N) return;
  Key key = 0;
  for (int i = first; i < N; i += gridDim.x * kThreads) key = max(key, key_of(input[i], i));
  atomicMax(&best_key, key);
}

__global__ void write_kernel(int* output) { *output = int(~unsigned(best_key)); }

extern "C" void solve(const float* input, int* output, int N) {
  void* key;
  cudaGetSymbolAddress(&key, best_key);
  cudaMemset(key, 0, sizeof(Key));
  const int wanted = (N - 1) / kThreads + 1;
  const int blocks = wanted < 64 ? wanted : 64;
  argmax_kernel<<<blocks, kThreads>>>(input, N);
  write_kernel<<<1, 1>>>(output);
}
