// Additions of a constant need no turns; those of a value do; floats loop at their maximum.
__global__ void count(int* out) {
  __shared__ int bins[32];
  bins[threadIdx.x] = 0;  // draws: shared store 1:1
  __syncwarp();
  atomicAdd(&bins[threadIdx.x / 2], 1);                              // draws: shared atomic 1:1
  atomicAdd(&bins[threadIdx.x / 2], static_cast<int>(threadIdx.x));  // draws: shared atomic 1:2
  __syncwarp();
  out[threadIdx.x] = bins[threadIdx.x];  // draws: shared load 1:1, global store 1:4
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(out, 0, 32 * sizeof(int));
  count<<<1, 32>>>(out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
