// compaction whose rounds all begin at the front of the output.
//
// Each round overwrites what earlier ones have kept: right only for a vector of one round.
//
// Rejected by: result
#include <cuda_runtime.h>

constexpr int kThreads = 1024, kWarp = 32, kWarps = kThreads / kWarp;

__global__ void compaction_kernel(const int* input, int* output, int N) {
  __shared__ int of_warp[kWarps];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  int kept = 0;  // in all rounds before
  for (int first = 0; first < N; first += kThreads) {
    const int i = first + threadIdx.x;
    const int value = i < N ? input[i] : 0;
    const unsigned bits = __ballot_sync(0xffffffff, value > 0);
    if (lane == 0) of_warp[warp] = __popc(bits);
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < kWarps; ++w) {
      if (w == warp) before = all;
      all += of_warp[w];
    }
    if (value > 0) output[before + __popc(bits & ((1u << lane) - 1))] = value;
    kept += all;
    __syncthreads();  // all have read the counts before the next round writes them
  }
  for (int i = kept + threadIdx.x; i < N; i += kThreads) output[i] = 0;
}

extern "C" void solve(const int* input, int* output, int N) {
  compaction_kernel<<<1, kThreads>>>(input, output, N);
}
