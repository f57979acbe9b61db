// Each block sums up its part, one block scans these sums, and then each block scans its part and
// begins with the sum before it. The input is read twice, but by all SMs.
#include <cuda_runtime.h>

constexpr int kThreads = 512, kWarp = 32, kPerThread = 8;
constexpr int kPart = kThreads * kPerThread;  // elements of a block
constexpr int kMostParts = (1 << 28) / kPart;

__device__ int before_part[kMostParts];  // first the sum of each part, then of all before it

__device__ int scan_warp(int value) {
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const int left = __shfl_up_sync(0xffffffff, value, distance);
    if (threadIdx.x % kWarp >= distance) value += left;
  }
  return value;
}

// The sum of all threads before this one; *total, if asked for, of all threads of the block.
__device__ int scan_block(int value, int* total) {
  __shared__ int up_to_warp[kThreads / kWarp];
  const int warp = threadIdx.x / kWarp;
  const int in_warp = scan_warp(value);
  if (threadIdx.x % kWarp == kWarp - 1) up_to_warp[warp] = in_warp;
  __syncthreads();
  if (warp == 0) {
    const int sum = scan_warp(threadIdx.x < kThreads / kWarp ? up_to_warp[threadIdx.x] : 0);
    if (threadIdx.x < kThreads / kWarp) up_to_warp[threadIdx.x] = sum;
  }
  __syncthreads();
  const int before = (warp == 0 ? 0 : up_to_warp[warp - 1]) + in_warp - value;
  *total = up_to_warp[kThreads / kWarp - 1];
  __syncthreads();  // all have read the sums before the next call writes them
  return before;
}

__global__ void sum_parts_kernel(const int* input, int N) {
  int sum = 0;
  for (int k = 0; k < kPerThread; ++k) {
    const int i = blockIdx.x * kPart + k * kThreads + threadIdx.x;
    if (i < N) sum += input[i];
  }
  int total;
  scan_block(sum, &total);
  if (threadIdx.x == 0) before_part[blockIdx.x] = total;
}

__global__ void scan_sums_kernel(int parts) {
  int before = 0;
  for (int first = 0; first < parts; first += kThreads) {
    const int i = first + threadIdx.x;
    int total;
    const int sum = scan_block(i < parts ? before_part[i] : 0, &total);
    if (i < parts) before_part[i] = before + sum;
    before += total;
  }
}

__global__ void scan_parts_kernel(const int* input, int* output, int N) {
  int before = before_part[blockIdx.x];
  for (int k = 0; k < kPerThread; ++k) {
    const int i = blockIdx.x * kPart + k * kThreads + threadIdx.x;
    int total;
    const int sum = scan_block(i < N ? input[i] : 0, &total);
    if (i < N) output[i] = before + sum;
    before += total;
  }
}

extern "C" void solve(const int* input, int* output, int N) {
  const int parts = (N + kPart - 1) / kPart;
  sum_parts_kernel<<<parts, kThreads>>>(input, N);
  scan_sums_kernel<<<1, kThreads>>>(parts);
  scan_parts_kernel<<<parts, kThreads>>>(input, output, N);
}
