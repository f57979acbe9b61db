// Eight lanes of each warp meet at each of four bins.
__global__ void histogram(int* bins) {
  atomicAdd(&bins[threadIdx.x % 4], 1);  // draws: global atomic 8:64
}

int main() {
  int* bins;
  cudaMalloc(&bins, 4 * sizeof(int));
  cudaMemset(bins, 0, 4 * sizeof(int));
  histogram<<<1, 256>>>(bins);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
