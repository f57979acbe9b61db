// Several copies of the block's counters, as many as there is room for, and neighboring lanes count
// in different ones: equal values no longer meet at one address, and with 32 copies each lane has a
// bank of its own. Each thread asks for four packs of four elements at once, and few large blocks
// share the work, so that there are few copies to set to zero and to add up.
#include <cuda_runtime.h>

constexpr int kThreads = 1024, kWarp = 32;
constexpr int kCounters = 8192;  // of a block: 32 KiB, which leaves room for two blocks per SM
constexpr int kInFlight = 4;     // packs that a thread asks for at once
constexpr int kPerThread = 32;   // elements, at least, unless the whole input is shorter

__device__ void count(int* own, int4 values, int copies, int copy) {
  atomicAdd(&own[values.x * copies + copy], 1);
  atomicAdd(&own[values.y * copies + copy], 1);
  atomicAdd(&own[values.z * copies + copy], 1);
  atomicAdd(&own[values.w * copies + copy], 1);
}

// `copies`: a power of two, at most the lanes of a warp.
__global__ void __launch_bounds__(kThreads, 2)
    histogram_kernel(const int* input, int* counts, int N, int num_bins, int copies) {
  __shared__ int own[kCounters];  // (num_bins, copies)
  for (int i = threadIdx.x; i < num_bins * copies; i += kThreads) own[i] = 0;
  __syncthreads();  // all are zero before anybody counts

  const int4* const input4 = reinterpret_cast<const int4*>(input);
  const int packs = N / 4, copy = threadIdx.x % copies;
  const int first = blockIdx.x * kThreads + threadIdx.x, stride = gridDim.x * kThreads;
  int i = first;
  for (; i + (kInFlight - 1) * stride < packs; i += kInFlight * stride) {
    int4 values[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) values[k] = input4[i + k * stride];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) count(own, values[k], copies, copy);
  }
  for (; i < packs; i += stride) count(own, input4[i], copies, copy);
  if (first < N % 4) atomicAdd(&own[input[4 * packs + first] * copies + copy], 1);
  __syncthreads();  // all is counted before anybody adds

  // The copies of a bin lie side by side. If all threads began with the first one, those of a warp
  // would meet in 32 / copies banks; so they begin where their own bank is.
  for (int bin = threadIdx.x; bin < num_bins; bin += kThreads) {
    const int begin = bin * copies / kWarp;
    int sum = 0;
    for (int k = 0; k < copies; ++k) sum += own[bin * copies + (begin + k) % copies];
    if (sum != 0) atomicAdd(&counts[bin], sum);
  }
}

extern "C" void solve(const int* input, int* counts, int N, int num_bins) {
  cudaMemset(counts, 0, num_bins * sizeof(int));
  int copies = kWarp;
  while (num_bins * copies > kCounters) copies /= 2;
  int device, sms, blocks_each;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, histogram_kernel, kThreads, 0);
  const int most = sms * blocks_each;  // that run at once
  const int wanted = (N - 1) / (kPerThread * kThreads) + 1;
  const int blocks = wanted < most ? wanted : most;
  histogram_kernel<<<blocks, kThreads>>>(input, counts, N, num_bins, copies);
}
