// histogram whose blocks add up their counters while some of their threads are still counting.
//
// Without the barrier between counting and adding, a warp that is done early adds counters that are
// not complete yet.
//
// Rejected by: racecheck (race)
#include <cuda_runtime.h>

__global__ void histogram_kernel(const int* input, int* counts, int N, int num_bins) {
  extern __shared__ int own[];  // num_bins counters
  for (int bin = threadIdx.x; bin < num_bins; bin += blockDim.x) own[bin] = 0;
  __syncthreads();  // all are zero before anybody counts
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride)
    atomicAdd(&own[input[i]], 1);
  for (int bin = threadIdx.x; bin < num_bins; bin += blockDim.x)
    if (own[bin] != 0) atomicAdd(&counts[bin], own[bin]);
}

extern "C" void solve(const int* input, int* counts, int N, int num_bins) {
  cudaMemset(counts, 0, num_bins * sizeof(int));
  const int threads = 256, kPerThread = 16;
  int device, sms;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const int most = 8 * sms;
  const int wanted = (N + kPerThread * threads - 1) / (kPerThread * threads);
  const int blocks = wanted < most ? wanted : most;
  histogram_kernel<<<blocks, threads, num_bins * sizeof(int)>>>(input, counts, N, num_bins);
}
