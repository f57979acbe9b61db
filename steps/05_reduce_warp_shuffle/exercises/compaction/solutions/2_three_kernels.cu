// Blocks count what they keep of their parts, one block scans these counts, and then each block
// knows where its first kept element goes. The places behind the last one are filled with zeros.
#include <cuda_runtime.h>

constexpr int kThreads = 512, kWarp = 32, kWarps = kThreads / kWarp, kRounds = 8;
constexpr int kPart = kThreads * kRounds;  // elements of a block
constexpr int kMostParts = (1 << 28) / kPart;

__device__ int
    place_of_part[kMostParts + 1];  // first the count of each part, then of all before it

// Counts the threads of the block before this one that keep their element, and those of all.
__device__ int count_before(bool keep, int* all) {
  __shared__ int of_warp[kWarps];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const unsigned bits = __ballot_sync(0xffffffff, keep);
  if (lane == 0) of_warp[warp] = __popc(bits);
  __syncthreads();
  int before = __popc(bits & ((1u << lane) - 1)), sum = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) before += of_warp[w];
    sum += of_warp[w];
  }
  __syncthreads();  // all have read the counts before the next call writes them
  *all = sum;
  return before;
}

__global__ void count_kernel(const int* input, int N) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  int own = 0;
  for (int round = 0; round < kRounds; ++round) {
    const int i = blockIdx.x * kPart + round * kThreads + threadIdx.x;
    own += i < N && input[i] > 0;
  }
  own = __reduce_add_sync(0xffffffff, own);
  if (threadIdx.x % kWarp == 0) atomicAdd(&count, own);
  __syncthreads();
  if (threadIdx.x == 0) place_of_part[blockIdx.x] = count;
}

// One thread: the parts are 4096 times fewer than the elements.
__global__ void scan_counts_kernel(int parts) {
  int sum = 0;
  for (int part = 0; part < parts; ++part) {
    const int count = place_of_part[part];
    place_of_part[part] = sum;
    sum += count;
  }
  place_of_part[parts] = sum;
}

__global__ void place_kernel(const int* input, int* output, int N) {
  int place = place_of_part[blockIdx.x];
  for (int round = 0; round < kRounds; ++round) {
    const int i = blockIdx.x * kPart + round * kThreads + threadIdx.x;
    const int value = i < N ? input[i] : 0;
    int all;
    const int before = count_before(value > 0, &all);
    if (value > 0) output[place + before] = value;
    place += all;
    if (i < N && i >= place_of_part[gridDim.x]) output[i] = 0;
  }
}

extern "C" void solve(const int* input, int* output, int N) {
  const int parts = (N + kPart - 1) / kPart;
  count_kernel<<<parts, kThreads>>>(input, N);
  scan_counts_kernel<<<1, 1>>>(parts);
  place_kernel<<<parts, kThreads>>>(input, output, N);
}
