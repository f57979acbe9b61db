// Neighbors are a word off, and touch a fifth sector.
__global__ void stencil(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  if (i == 0 || i == n - 1) return;
  float sum = in[i];  // draws: global load 8:32
  sum += in[i - 1];   // draws: global load 8:39
  sum += in[i + 1];   // draws: global load 8:39
  out[i] = sum / 3;   // draws: global store 8:32
}

int main() {
  float* in;
  cudaMalloc(&in, 256 * sizeof(float));
  cudaMemset(in, 0, 256 * sizeof(float));
  float* out;
  cudaMalloc(&out, 256 * sizeof(float));
  cudaMemset(out, 0, 256 * sizeof(float));
  stencil<<<1, 256>>>(in, out, 256);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
