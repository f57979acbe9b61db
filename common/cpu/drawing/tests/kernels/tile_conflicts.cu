// The same without padding: a column is a bank.
__global__ void flip(const float* in, float* out) {
  __shared__ float tile[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[32 * y + x];  // draws: global load 32:128, shared store 32:32
  __syncthreads();
  out[32 * y + x] = tile[x][y];  // draws: shared load 32:1024, global store 32:128
}

int main() {
  float* in;
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMemset(in, 0, 1024 * sizeof(float));
  float* out;
  cudaMalloc(&out, 1024 * sizeof(float));
  cudaMemset(out, 0, 1024 * sizeof(float));
  flip<<<1, dim3(32, 32)>>>(in, out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
