// Prefix sums of one block: two buffers that take turns, and the work-efficient tree; then of a
// whole array with sums of blocks in between.
#include <vector>

#include "check.h"

__global__ void scan_two_buffers(float* out, const float* in, int n) {
  extern __shared__ float temp[];  // (2, n)
  int tid = threadIdx.x;
  int pout = 0, pin = 1;
  temp[pout * n + tid] = (tid > 0) ? in[tid - 1] : 0;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (tid >= offset)
      temp[pout * n + tid] = temp[pin * n + tid] + temp[pin * n + tid - offset];
    else
      temp[pout * n + tid] = temp[pin * n + tid];
    __syncthreads();
  }
  out[tid] = temp[pout * n + tid];
}

const int THREADS = 64;

__global__ void scan_blocks(int* data, int* block_sums, int n) {
  __shared__ int temp[2 * THREADS];
  int tid = threadIdx.x;
  int base = 2 * THREADS * blockIdx.x;
  temp[2 * tid] = base + 2 * tid < n ? data[base + 2 * tid] : 0;
  temp[2 * tid + 1] = base + 2 * tid + 1 < n ? data[base + 2 * tid + 1] : 0;

  int offset = 1;
  for (int d = THREADS; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d) {
      int left = offset * (2 * tid + 1) - 1;
      int right = offset * (2 * tid + 2) - 1;
      temp[right] += temp[left];
    }
    offset *= 2;
  }
  if (tid == 0) {
    if (block_sums != nullptr) block_sums[blockIdx.x] = temp[2 * THREADS - 1];
    temp[2 * THREADS - 1] = 0;
  }
  for (int d = 1; d < 2 * THREADS; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < d) {
      int left = offset * (2 * tid + 1) - 1;
      int right = offset * (2 * tid + 2) - 1;
      int t = temp[left];
      temp[left] = temp[right];
      temp[right] += t;
    }
  }
  __syncthreads();
  if (base + 2 * tid < n) data[base + 2 * tid] = temp[2 * tid];
  if (base + 2 * tid + 1 < n) data[base + 2 * tid + 1] = temp[2 * tid + 1];
}

__global__ void add_offsets(int* data, const int* offsets, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += offsets[blockIdx.x];
}

int main() {
  const int n = 256;
  float in[n], out[n], *d_in, *d_out;
  for (int i = 0; i < n; i++) in[i] = i % 9;
  CUDA_CHECK(cudaMalloc(&d_in, sizeof in));
  CUDA_CHECK(cudaMalloc(&d_out, sizeof out));
  CUDA_CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
  scan_two_buffers<<<1, n, 2 * n * sizeof(float)>>>(d_out, d_in, n);
  CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  float sum = 0;
  for (int i = 0; i < n; sum += in[i++]) EXPECT(out[i] == sum);

  const int size = 9'999, blocks = (size + 2 * THREADS - 1) / (2 * THREADS);
  std::vector<int> data(size), scanned(size);
  for (int i = 0; i < size; i++) data[i] = 7 * i % 13 - 5;
  int *d_data, *d_sums;
  CUDA_CHECK(cudaMalloc(&d_data, size * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_data, data.data(), size * sizeof(int), cudaMemcpyHostToDevice));
  scan_blocks<<<blocks, THREADS>>>(d_data, d_sums, size);
  scan_blocks<<<1, THREADS>>>(d_sums, NULL, blocks);
  add_offsets<<<blocks, 2 * THREADS>>>(d_data, d_sums, size);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(scanned.data(), d_data, size * sizeof(int), cudaMemcpyDeviceToHost));
  int total = 0;
  for (int i = 0; i < size; total += data[i++]) EXPECT(scanned[i] == total);
  for (void* p : {(void*)d_in, (void*)d_out, (void*)d_data, (void*)d_sums}) CUDA_CHECK(cudaFree(p));
}
