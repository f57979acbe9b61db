// A histogram with one copy in each block's shared memory, and a loop with the stride of the grid.
#include <vector>

#include "check.h"

#define BINS 64

__global__ void histogram(const unsigned char* text, size_t size, unsigned int* bins) {
  __shared__ unsigned int local[BINS];
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) local[i] = 0;
  __syncthreads();
  const size_t stride = (size_t)blockDim.x * gridDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride)
    atomicAdd(&local[text[i] % BINS], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(bins + i, local[i]);
}

int main(void) {
  std::vector<unsigned char> text(100'003);
  unsigned int state = 1;
  for (unsigned char& c : text) c = (state = state * 1664525u + 1013904223u) >> 24;

  unsigned char* d_text;
  unsigned int* d_bins;
  CUDA_CHECK(cudaMalloc(&d_text, text.size()));
  CUDA_CHECK(cudaMalloc(&d_bins, BINS * sizeof(unsigned int)));
  CUDA_CHECK(cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyDefault));
  CUDA_CHECK(cudaMemset(d_bins, 0, BINS * sizeof(unsigned int)));
  histogram<<<32, 128>>>(d_text, text.size(), d_bins);
  CUDA_CHECK(cudaPeekAtLastError());

  unsigned int bins[BINS], expected[BINS] = {};
  CUDA_CHECK(cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost));
  for (unsigned char c : text) ++expected[c % BINS];
  for (int i = 0; i < BINS; ++i) EXPECT(bins[i] == expected[i]);
  CUDA_CHECK(cudaFree(d_text));
  CUDA_CHECK(cudaFree(d_bins));
}
