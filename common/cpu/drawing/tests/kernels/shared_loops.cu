// Atomic functions that compare and swap: each turn takes two wavefronts.
__global__ void swap(float* out) {
  __shared__ int owner[2];
  __shared__ float sum;
  owner[threadIdx.x % 2] = 0;  // draws: shared store 1:1
  sum = 0;                     // draws: shared store 1:1
  __syncwarp();
  atomicCAS(&owner[threadIdx.x % 2], 0, 1);    // draws: shared atomic 1:32
  if (threadIdx.x < 4) atomicAdd(&sum, 1.0f);  // draws: shared atomic 1:8
  __syncwarp();
  out[threadIdx.x] = sum;  // draws: shared load 1:1, global store 1:4
}

int main() {
  float* out;
  cudaMalloc(&out, 32 * sizeof(float));
  swap<<<1, 32>>>(out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
