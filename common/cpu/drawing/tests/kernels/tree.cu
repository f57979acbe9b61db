// A tree in shared memory: fewer lanes in every round.
__global__ void tree(const float* in, float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = in[threadIdx.x];  // draws: global load 2:8, shared store 2:2
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    // draws: shared load 12:12, shared store 6:6
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = s[0];  // draws: shared load 1:1, global store 1:1
}

int main() {
  float* in;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  float* out;
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(out, 0, 64 * sizeof(float));
  tree<<<1, 64>>>(in, out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
