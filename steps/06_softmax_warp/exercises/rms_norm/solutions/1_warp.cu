// A warp per row: a walk for the sum of the squares, an exchange that leaves the sum in every lane,
// a walk for the output.
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kWarp = 32, kRowsPerBlock = 4;

__global__ void rms_norm_kernel(const float* input, const float* weight, float* output, int rows,
                                int cols) {
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.y, lane = threadIdx.x;  // fade 2
  if (row >= rows) return;                           // the whole warp // fade 1
  const float* x = input + std::size_t(row) * cols;  // fade 2
  float* y = output + std::size_t(row) * cols;       // fade 2
  float squares = 0.0f;                              // fade 2
  for (int col = lane; col < cols; col += kWarp) squares += x[col] * x[col];             // fade 2
  for (int distance = kWarp / 2; distance > 0; distance /= 2)                            // fade 2
    squares += __shfl_xor_sync(0xffffffff, squares, distance);                           // fade 1
  const float scale = rsqrtf(squares / cols + 1e-5f);                                    // fade 1
  for (int col = lane; col < cols; col += kWarp) y[col] = x[col] * scale * weight[col];  // fade 2
}

extern "C" void solve(const float* input, const float* weight, float* output, int rows, int cols) {
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  rms_norm_kernel<<<blocks, dim3(kWarp, kRowsPerBlock)>>>(input, weight, output, rows, cols);
}
