// Two kernels, one of them three times alike.
__global__ void first(float* x) {
  x[threadIdx.x] = 1;  // draws: global store 1:4
}
__global__ void second(float* x) {
  x[8 * threadIdx.x] = 2;  // draws: global store 1:32
}

int main() {
  float* x;
  cudaMalloc(&x, 256 * sizeof(float));
  cudaMemset(x, 0, 256 * sizeof(float));
  first<<<1, 32>>>(x);
  for (int i = 0; i < 3; ++i) second<<<1, 32>>>(x);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
