// 8 bytes per lane, in global and in shared memory.
__global__ void reverse(double* x) {
  __shared__ double s[64];
  s[threadIdx.x] = x[threadIdx.x];  // draws: global load 2:16, shared store 2:4
  __syncthreads();
  x[threadIdx.x] = s[63 - threadIdx.x];  // draws: shared load 2:4, global store 2:16
}

int main() {
  double* x;
  cudaMalloc(&x, 64 * sizeof(double));
  cudaMemset(x, 0, 64 * sizeof(double));
  reverse<<<1, 64>>>(x);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
