// A look-back that takes the sum of the part before its own for the sum of all parts before it.
//
// A block publishes the sum of its own part, and everything before that part is missing. With one
// or two parts the result is right all the same.
//
// Rejected by: result
#include <cuda_runtime.h>

constexpr int kThreads = 256, kWarp = 32, kWarps = kThreads / kWarp;
constexpr int kMostParts = 1 << 17;

struct Progress {
  int parts_taken;
  unsigned long long of_part[kMostParts];  // 1 in the upper half once the lower one has a sum
};
__device__ Progress progress;

__device__ int scan_warp(int value) {
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const int left = __shfl_up_sync(0xffffffff, value, distance);
    if (threadIdx.x % kWarp >= distance) value += left;
  }
  return value;
}

__global__ void scan_kernel(const int* input, int* output, int N) {
  __shared__ int own_part, before_block, up_to_warp[kWarps];
  const int warp = threadIdx.x / kWarp;
  if (threadIdx.x == 0) own_part = atomicAdd(&progress.parts_taken, 1);
  __syncthreads();
  const int part = own_part, i = part * kThreads + threadIdx.x;
  const int own = i < N ? input[i] : 0;
  const int in_warp = scan_warp(own);
  if (threadIdx.x % kWarp == kWarp - 1) up_to_warp[warp] = in_warp;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int w = 0; w < kWarps; ++w) up_to_warp[w] = sum += up_to_warp[w];
    atomicExch(&progress.of_part[part], 1ull << 32 | unsigned(sum));
    unsigned long long state = part == 0 ? 1ull << 32 : 0;
    while (state >> 32 == 0) state = atomicAdd(&progress.of_part[part - 1], 0);
    before_block = int(unsigned(state));
  }
  __syncthreads();
  const int before = before_block + (warp == 0 ? 0 : up_to_warp[warp - 1]);
  if (i < N) output[i] = before + in_warp - own;
}

extern "C" void solve(const int* input, int* output, int N) {
  void* begin;
  cudaGetSymbolAddress(&begin, progress);
  cudaMemset(begin, 0, sizeof(Progress));
  scan_kernel<<<(N - 1) / kThreads + 1, kThreads>>>(input, output, N);
}
