// A warp per row: loads are coalesced, each lane keeps the best of its own elements, and in the end
// the largest of the 32 heads is taken off k times. Most elements are smaller than a lane's
// smallest, which one comparison tells.
#include <cuda_runtime.h>
#include <math.h>

#include <cstddef>

constexpr int kMost = 16, kWarp = 32, kRowsPerBlock = 4;

// Puts x into its place in a sorted list, whose last element falls off.
__device__ void insert(float (&best)[kMost], float x) {
  if (x <= best[kMost - 1]) return;
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    const float larger = fmaxf(best[i], x);
    x = fminf(best[i], x);
    best[i] = larger;
  }
}

__global__ void top_k_kernel(const float* input, float* output, int rows, int cols, int k) {
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;  // the whole warp
  float best[kMost];
#pragma unroll
  for (int i = 0; i < kMost; ++i) best[i] = -INFINITY;
  for (int col = lane; col < cols; col += kWarp) insert(best, input[std::size_t(row) * cols + col]);

  for (int i = 0; i < k; ++i) {
    float most = best[0];
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, distance));
    const unsigned heads = __ballot_sync(0xffffffff, best[0] == most);
    if (lane == 0) output[std::size_t(row) * k + i] = most;
    if (lane == __ffs(heads) - 1) {  // one lane of those that have it
#pragma unroll
      for (int j = 0; j + 1 < kMost; ++j) best[j] = best[j + 1];
      best[kMost - 1] = -INFINITY;
    }
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols, int k) {
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  top_k_kernel<<<blocks, dim3(kWarp, kRowsPerBlock)>>>(input, output, rows, cols, k);
}
