// Sums in the ways that tutorials show: interleaved, sequential, unrolled for a block size known at
// compile time, with shuffles; chosen by a switch and by an array of kernels.
#include <numeric>
#include <vector>

#include "check.h"

__global__ void interleaved(const int* in, int* out, int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = (i < n) ? in[i] : 0;
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(out, sdata[0]);
}

__global__ void sequential(const int* in, int* out, int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = (i < n) ? in[i] : 0;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(out, sdata[0]);
}

template <unsigned int blockSize>
__device__ void warp_tail(volatile int* sdata, unsigned int tid) {
  if (blockSize >= 64) {
    sdata[tid] += sdata[tid + 32];
    __syncwarp();
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    int other = sdata[tid + offset];
    __syncwarp();
    sdata[tid] += other;
    __syncwarp();
  }
}

template <unsigned int blockSize>
__global__ void unrolled(const int* in, int* out, int n) {
  __shared__ int sdata[blockSize + 32];  // the tail reads beyond the last sum
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockSize * 2) + tid;
  sdata[tid] = 0;
  if (tid < 32) sdata[blockSize + tid] = 0;
  for (; i < n; i += blockSize * 2 * gridDim.x)
    sdata[tid] += in[i] + (i + blockSize < n ? in[i + blockSize] : 0);
  __syncthreads();
  if (blockSize >= 256) {
    if (tid < 128) sdata[tid] += sdata[tid + 128];
    __syncthreads();
  }
  if (blockSize >= 128) {
    if (tid < 64) sdata[tid] += sdata[tid + 64];
    __syncthreads();
  }
  if (tid < 32) warp_tail<blockSize>(sdata, tid);
  if (tid == 0) atomicAdd(out, sdata[0]);
}

__inline__ __device__ int warp_sum(int value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

__global__ void shuffled(const int* in, int* out, int n) {
  static __shared__ int warp_sums[32];
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  sum = warp_sum(sum);
  if (lane == 0) warp_sums[warp] = sum;
  __syncthreads();
  sum = (threadIdx.x < blockDim.x / warpSize) ? warp_sums[lane] : 0;
  if (warp == 0) sum = warp_sum(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void run_unrolled(int threads, int blocks, const int* in, int* out, int n) {
  switch (threads) {
    case 256:
      unrolled<256><<<blocks, threads>>>(in, out, n);
      break;
    case 128:
      unrolled<128><<<blocks, threads>>>(in, out, n);
      break;
    case 64:
      unrolled<64><<<blocks, threads>>>(in, out, n);
      break;
  }
}

int main() {
  const int n = 10'007;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = i % 101 - 40;
  const int expected = std::accumulate(in.begin(), in.end(), 0);

  int *d_in, *d_out;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_out, sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  const auto expect_sum = [&] {
    int sum = 0;
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&sum, d_out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(sum == expected);
    CUDA_CHECK(cudaMemset(d_out, 0, sizeof(int)));
  };
  CUDA_CHECK(cudaMemset(d_out, 0, sizeof(int)));

  typedef void (*Kernel)(const int*, int*, int);
  Kernel kernels[] = {interleaved, sequential, &shuffled};
  for (int i = 0; i < 3; ++i) {
    kernels[i]<<<(n + 127) / 128, 128, 128 * sizeof(int)>>>(d_in, d_out, n);
    expect_sum();
  }
  for (int threads = 64; threads <= 256; threads *= 2) {
    run_unrolled(threads, 7, d_in, d_out, n);
    expect_sum();
  }
  cudaFree(d_in);
  cudaFree(d_out);
}
