// rms_norm whose lanes without an element return before the shuffles.
//
// In a row of fewer than 32 elements the others then read from lanes that are gone, which gives no
// value at all.
//
// May also show: synccheck (invalid_mask)
// Rejected by: result
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kWarp = 32, kRowsPerBlock = 4;

__global__ void rms_norm_kernel(const float* input, const float* weight, float* output, int rows,
                                int cols) {
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.y, lane = threadIdx.x;
  if (row >= rows || lane >= cols) return;
  const float* x = input + std::size_t(row) * cols;
  float* y = output + std::size_t(row) * cols;
  float squares = 0.0f;
  for (int col = lane; col < cols; col += kWarp) squares += x[col] * x[col];
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    squares += __shfl_xor_sync(0xffffffff, squares, distance);
  const float scale = rsqrtf(squares / cols + 1e-5f);
  for (int col = lane; col < cols; col += kWarp) y[col] = x[col] * scale * weight[col];
}

extern "C" void solve(const float* input, const float* weight, float* output, int rows, int cols) {
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  rms_norm_kernel<<<blocks, dim3(kWarp, kRowsPerBlock)>>>(input, weight, output, rows, cols);
}
