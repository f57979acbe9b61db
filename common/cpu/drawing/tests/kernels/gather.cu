// Every request has a pattern of its own; there are far more than the page holds.
__global__ void gather(const float* in, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * 2654435761u >> 16];  // draws: global load 2048:any, global store 2048:8192
}

int main() {
  float* in;
  cudaMalloc(&in, 65536 * sizeof(float));
  cudaMemset(in, 0, 65536 * sizeof(float));
  float* out;
  cudaMalloc(&out, 65536 * sizeof(float));
  cudaMemset(out, 0, 65536 * sizeof(float));
  gather<<<256, 256>>>(in, out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
