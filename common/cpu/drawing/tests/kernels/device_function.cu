// The access is in a function that the kernel calls, in a line of its own.
__device__ float fetch(const float* in, int i) {
  return in[i];  // draws: global load 4:16
}

__global__ void copy(const float* in, float* out) {
  out[threadIdx.x] = fetch(in, threadIdx.x);  // draws: global store 4:16
}

int main() {
  float* in;
  cudaMalloc(&in, 128 * sizeof(float));
  cudaMemset(in, 0, 128 * sizeof(float));
  float* out;
  cudaMalloc(&out, 128 * sizeof(float));
  cudaMemset(out, 0, 128 * sizeof(float));
  copy<<<1, 128>>>(in, out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
