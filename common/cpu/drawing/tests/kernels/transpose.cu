// Each store of a warp goes to 32 rows.
__global__ void transpose(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  const float v = in[y * n + x];  // draws: global load 128:512
  out[x * n + y] = v;             // draws: global store 128:4096
}

int main() {
  float* in;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMemset(in, 0, 4096 * sizeof(float));
  float* out;
  cudaMalloc(&out, 4096 * sizeof(float));
  cudaMemset(out, 0, 4096 * sizeof(float));
  transpose<<<dim3(2, 2), dim3(32, 32)>>>(in, out, 64);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
