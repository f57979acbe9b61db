// One block walks over the vector, a thousand elements at a time, and carries the sum of all that
// came before. Warps scan by shuffles, and the first one scans the sums of the warps.
#include <cuda_runtime.h>

constexpr int kThreads = 1024, kWarp = 32;

// The sum of all lanes up to this one.
__device__ int scan_warp(int value) {
  for (int distance = 1; distance < kWarp; distance *= 2) {        // fade 2
    const int left = __shfl_up_sync(0xffffffff, value, distance);  // fade 1
    if (threadIdx.x % kWarp >= distance) value += left;            // fade 2
  }
  return value;
}

__global__ void scan_kernel(const int* input, int* output, int N) {
  __shared__ int up_to_warp[kThreads / kWarp];
  const int warp = threadIdx.x / kWarp;
  int before = 0;  // the sum of all elements of earlier rounds
  for (int first = 0; first < N; first += kThreads) {
    const int i = first + threadIdx.x;
    const int own = i < N ? input[i] : 0;                              // fade 2
    const int in_warp = scan_warp(own);                                // fade 2
    if (threadIdx.x % kWarp == kWarp - 1) up_to_warp[warp] = in_warp;  // fade 1
    __syncthreads();
    if (warp == 0) up_to_warp[threadIdx.x] = scan_warp(up_to_warp[threadIdx.x]);  // fade 2
    __syncthreads();
    const int warps_before = warp == 0 ? 0 : up_to_warp[warp - 1];  // fade 2
    if (i < N) output[i] = before + warps_before + in_warp - own;   // fade 1
    before += up_to_warp[kThreads / kWarp - 1];                     // fade 2
    __syncthreads();  // all have read the sums before the next round writes them
  }
}

extern "C" void solve(const int* input, int* output, int N) {
  scan_kernel<<<1, kThreads>>>(input, output, N);
}
