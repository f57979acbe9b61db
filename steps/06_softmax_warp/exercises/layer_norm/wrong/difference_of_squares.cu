// layer_norm whose variance is the mean of the squares less the square of the mean.
//
// For a row far from zero these are two large numbers that agree in nearly all their digits: what
// remains is rounding.
//
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kThreads = 256, kWarp = 32, kWarps = kThreads / kWarp;

// The sum over the block, in every thread.
__device__ float sum_of_block(float value) {
  __shared__ float of_warps[kWarps];
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffff, value, distance);
  __syncthreads();  // all have read the sums of an earlier call
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = value;
  __syncthreads();
  float sum = 0.0f;
  for (int warp = 0; warp < kWarps; ++warp) sum += of_warps[warp];
  return sum;
}

__global__ void layer_norm_kernel(const float* input, const float* gamma, const float* beta,
                                  float* output, int cols) {
  const float* x = input + std::size_t(blockIdx.x) * cols;
  float* y = output + std::size_t(blockIdx.x) * cols;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) sum += x[col];
  const float mean = sum_of_block(sum) / cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += kThreads) squares += x[col] * x[col];
  const float scale = rsqrtf(sum_of_block(squares) / cols - mean * mean + 1e-5f);
  for (int col = threadIdx.x; col < cols; col += kThreads)
    y[col] = (x[col] - mean) * scale * gamma[col] + beta[col];
}

extern "C" void solve(const float* input, const float* gamma, const float* beta, float* output,
                      int rows, int cols) {
  layer_norm_kernel<<<rows, kThreads>>>(input, gamma, beta, output, cols);
}
