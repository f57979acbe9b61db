// reduce_max: atomicMax on floats by compare-and-swap, a stream and an event of its own.
#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>

__device__ static float atomicMaxFloat(float* address, float val) {
  int* address_as_i = (int*)address;
  int old = *address_as_i, assumed;
  do {
    assumed = old;
    old = ::atomicCAS(address_as_i, assumed,
                      __float_as_int(::fmaxf(val, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

__global__ void init(float* output) { *output = -INFINITY; }

__global__ void max_kernel(const float* input, float* output, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < N ? input[i] : -FLT_MAX;
  for (int mask = 16; mask > 0; mask /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, mask));
  if (threadIdx.x % 32 == 0) atomicMaxFloat(output, v);
}

extern "C" void solve(const float* input, float* output, int N) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  init<<<1, 1, 0, stream>>>(output);
  max_kernel<<<(N + 255) / 256, 256, 0, stream>>>(input, output, N);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
