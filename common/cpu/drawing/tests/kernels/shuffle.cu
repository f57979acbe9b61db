// Registers talk; one lane of each warp adds to the sum.
__global__ void sum(const float* in, float* out) {
  float x = in[threadIdx.x];  // draws: global load 4:16
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(~0u, x, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(out, x);  // draws: global atomic 4:4
}

int main() {
  float* in;
  cudaMalloc(&in, 128 * sizeof(float));
  cudaMemset(in, 0, 128 * sizeof(float));
  float* out;
  cudaMalloc(&out, 128 * sizeof(float));
  cudaMemset(out, 0, 128 * sizeof(float));
  sum<<<1, 128>>>(in, out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
