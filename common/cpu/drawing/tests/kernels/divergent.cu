// Lanes of a warp take either branch.
__global__ void split(float* a, float* b) {
  const int i = threadIdx.x;
  if (i % 2 == 0)
    a[i] = 1;  // draws: global store 2:8
  else
    b[i / 2] = 2;  // draws: global store 2:4
}

int main() {
  float* a;
  cudaMalloc(&a, 64 * sizeof(float));
  cudaMemset(a, 0, 64 * sizeof(float));
  float* b;
  cudaMalloc(&b, 64 * sizeof(float));
  cudaMemset(b, 0, 64 * sizeof(float));
  split<<<1, 64>>>(a, b);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
