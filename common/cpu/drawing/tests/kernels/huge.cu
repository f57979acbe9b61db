// More blocks than anybody looks at.
__global__ void copy(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];  // draws: global load 200000:800000, global store 200000:800000
}

int main() {
  float* in;
  cudaMalloc(&in, 6400000 * sizeof(float));
  cudaMemset(in, 0, 6400000 * sizeof(float));
  float* out;
  cudaMalloc(&out, 6400000 * sizeof(float));
  cudaMemset(out, 0, 6400000 * sizeof(float));
  copy<<<200000, 32>>>(in, out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
