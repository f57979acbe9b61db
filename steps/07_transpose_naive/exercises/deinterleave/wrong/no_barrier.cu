// deinterleave without a barrier between loading a piece and using it.
//
// A thread's point was loaded by other threads, of other warps too.
//
// May also show: initcheck (uninitialized)
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kThreads = 256, kCoordinates = 3;

__global__ void deinterleave_kernel(const float* input, float* output, int N) {
  __shared__ float piece[kCoordinates * kThreads];
  const std::size_t first = std::size_t(kCoordinates) * kThreads * blockIdx.x;
  const std::size_t all = std::size_t(kCoordinates) * N;
#pragma unroll
  for (int k = 0; k < kCoordinates; ++k) {
    const int at = k * kThreads + threadIdx.x;
    if (first + at < all) piece[at] = input[first + at];
  }
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= N) return;
#pragma unroll
  for (int c = 0; c < kCoordinates; ++c)
    output[std::size_t(c) * N + i] = piece[kCoordinates * threadIdx.x + c];
}

extern "C" void solve(const float* input, float* output, int N) {
  const int blocks = (N + kThreads - 1) / kThreads;
  deinterleave_kernel<<<blocks, kThreads>>>(input, output, N);
}
