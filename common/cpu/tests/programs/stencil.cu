// A stencil of radius 3 over a tile with a halo; coefficients in constant memory.
#include <vector>

#include "check.h"

constexpr int RADIUS = 3;
constexpr int BLOCK = 96;

__constant__ float coefficients[RADIUS + 1];

__global__ void __launch_bounds__(BLOCK)
    stencil(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[BLOCK + 2 * RADIUS];
  const int global = blockIdx.x * BLOCK + threadIdx.x;
  const int local = threadIdx.x + RADIUS;
  tile[local] = global < n ? in[global] : 0.0f;
  if (threadIdx.x < RADIUS) {
    const int left = global - RADIUS, right = global + BLOCK;
    tile[local - RADIUS] = left >= 0 ? in[left] : 0.0f;
    tile[local + BLOCK] = right < n ? in[right] : 0.0f;
  }
  __syncthreads();
  if (global >= n) return;
  float sum = coefficients[0] * tile[local];
#pragma unroll RADIUS
  for (int r = 1; r <= RADIUS; ++r) sum += coefficients[r] * (tile[local - r] + tile[local + r]);
  out[global] = sum;
}

int main() {
  const int n = 5'000;
  const float c[RADIUS + 1] = {-2.0f, 1.0f, 0.5f, 0.25f};
  CUDA_CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i * i % 17;
  float *d_in, *d_out;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  stencil<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_out, n);
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  const auto at = [&](int i) { return i >= 0 && i < n ? in[i] : 0.0f; };
  for (int i = 0; i < n; ++i) {
    float sum = c[0] * in[i];
    for (int r = 1; r <= RADIUS; ++r) sum += c[r] * (at(i - r) + at(i + r));
    EXPECT(out[i] == sum);
  }
  for (void* p : {(void*)d_in, (void*)d_out}) CUDA_CHECK(cudaFree(p));
}
