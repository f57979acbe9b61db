// reduce_max with the shuffles inside the guard: lanes without an element pass them by.
//
// The mask names all lanes of the warp, and in the last one some never come. The others get
// undefined values from those. fmaxf drops a NaN, so that the maximum may well be right.
//
// Rejected by: synccheck (invalid_mask)
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// The largest `value` of the warp; valid in lane 0.
__device__ float warp_max(float value) {
  for (int half = kWarpSize / 2; half > 0; half /= 2) {
    value = fmaxf(value, __shfl_down_sync(kAllLanes, value, half));
  }
  return value;
}

// *max = fmaxf(*max, value), as one. Swaps only if nobody has changed *max since it was read; else
// looks at what is there now, and tries again while its own value is larger.
__device__ void atomic_max(float* max, float value) {
  int* const bits = reinterpret_cast<int*>(max);
  int seen = atomicCAS(bits, 0, 0);  // an atomic read
  while (__int_as_float(seen) < value) {
    const int found = atomicCAS(bits, seen, __float_as_int(value));
    if (found == seen) return;
    seen = found;
  }
}

// Blocks start in no particular order, so a launch of its own puts the first value there.
__global__ void start_kernel(float* max) { *max = -INFINITY; }

__global__ void max_kernel(const float* input, float* max, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    const float value = warp_max(input[i]);
    if (threadIdx.x % kWarpSize == 0) atomic_max(max, value);
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  const int blocks = (N - 1) / kBlockSize + 1;
  start_kernel<<<1, 1>>>(output);
  max_kernel<<<blocks, kBlockSize>>>(input, output, N);
}
