// A guarded copy, whose last warp has eight lanes left.
__global__ void copy(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float x = in[i];  // draws: global load 32:125
    out[i] = x;             // draws: global store 32:125
  }
}

int main() {
  float* in;
  cudaMalloc(&in, 1000 * sizeof(float));
  cudaMemset(in, 0, 1000 * sizeof(float));
  float* out;
  cudaMalloc(&out, 1000 * sizeof(float));
  cudaMemset(out, 0, 1000 * sizeof(float));
  copy<<<4, 256>>>(in, out, 1000);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
