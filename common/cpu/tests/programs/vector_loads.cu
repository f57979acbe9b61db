// Loads and stores of four values at once, through casts and through __ldg; the rest one by one.
#include <vector>

#include "check.h"

__global__ void scale4(const float* in, float* out, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n) {
    float4 v = reinterpret_cast<const float4*>(in)[i];
    v.x *= factor;
    v.y *= factor;
    v.z *= factor;
    v.w *= factor;
    reinterpret_cast<float4*>(out)[i] = v;
  } else {
    for (int j = 4 * i; j < n; ++j) out[j] = in[j] * factor;
  }
}

// Bits move as int4, whatever they mean.
__global__ void copy_bits(const float* in, float* out, int n4) {
  __shared__ float stage[256];
  const int i = threadIdx.x;
  if (i < n4) ((int4*)stage)[i] = __ldg((const int4*)in + i);
  __syncthreads();
  if (i < n4) {
    for (int j = 0; j < 4; ++j) stage[4 * i + j] += 1.0f;
    *((int4*)out + i) = *(int4*)&stage[4 * i];
  }
}

int main() {
  const int n = 1'003;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i;
  float *d_in, *d_out;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  scale4<<<(n / 4 + 64) / 64, 64>>>(d_in, d_out, 3.0f, n);
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(out[i] == 3.0f * i);

  copy_bits<<<1, 64>>>(d_in, d_out, 64);
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, 256 * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 256; ++i) EXPECT(out[i] == i + 1.0f);
  for (void* p : {(void*)d_in, (void*)d_out}) CUDA_CHECK(cudaFree(p));
}
