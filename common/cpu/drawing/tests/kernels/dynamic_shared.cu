// Shared memory whose size the launch gives; a stride of two words.
extern __shared__ float words[];

__global__ void strided(float* out) {
  words[2 * threadIdx.x] = 1;  // draws: shared store 2:4
  __syncthreads();
  out[threadIdx.x] = words[2 * threadIdx.x];  // draws: shared load 2:4, global store 2:8
}

int main() {
  float* out;
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(out, 0, 64 * sizeof(float));
  strided<<<1, 64, 128 * sizeof(float)>>>(out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
