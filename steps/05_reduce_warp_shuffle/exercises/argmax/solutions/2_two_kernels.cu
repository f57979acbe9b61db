// Blocks on all SMs find their best pair each, and a second launch of one block combines these
// pairs. They are kept in memory of the kernel's own file, since how many there are is known in
// advance.
#include <cuda_runtime.h>

constexpr int kThreads = 256, kWarp = 32, kMostBlocks = 1024;

struct Best {
  float value;
  int index;
};

__device__ Best of_blocks[kMostBlocks];

__device__ Best better(Best a, Best b) {
  const bool second = b.value > a.value || (b.value == a.value && b.index < a.index);
  return second ? b : a;
}

__device__ Best best_of_warp(Best best) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const Best other = {__shfl_down_sync(0xffffffff, best.value, distance),
                        __shfl_down_sync(0xffffffff, best.index, distance)};
    best = better(best, other);
  }
  return best;  // of lane 0
}

// The best of a block's pairs, for thread 0.
__device__ Best best_of_block(Best best) {
  __shared__ Best of_warps[kThreads / kWarp];
  best = best_of_warp(best);
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = best;
  __syncthreads();
  if (threadIdx.x < kWarp)
    best = best_of_warp(of_warps[threadIdx.x < kThreads / kWarp ? threadIdx.x : 0]);
  return best;
}

__global__ void argmax_blocks_kernel(const float* input, int N) {
  const int first = blockIdx.x * kThreads + threadIdx.x, stride = gridDim.x * kThreads;
  const int packs = N / 4;
  Best best = {input[0], 0};
#pragma unroll 4
  for (int i = first; i < packs; i += stride) {
    const float4 x = reinterpret_cast<const float4*>(input)[i];
    best = better(best, {x.x, 4 * i});
    best = better(best, {x.y, 4 * i + 1});
    best = better(best, {x.z, 4 * i + 2});
    best = better(best, {x.w, 4 * i + 3});
  }
  const int rest = 4 * packs + first;
  if (rest < N) best = better(best, {input[rest], rest});
  best = best_of_block(best);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = best;
}

__global__ void argmax_final_kernel(int* output, int blocks) {
  Best best = of_blocks[0];
  for (int i = threadIdx.x; i < blocks; i += kThreads) best = better(best, of_blocks[i]);
  best = best_of_block(best);
  if (threadIdx.x == 0) *output = best.index;
}

extern "C" void solve(const float* input, int* output, int N) {
  const int wanted = (N / 4 + kThreads) / kThreads;
  const int blocks = wanted < kMostBlocks ? wanted : kMostBlocks;
  argmax_blocks_kernel<<<blocks, kThreads>>>(input, N);
  argmax_final_kernel<<<1, kThreads>>>(output, blocks);
}
