// A grid and blocks of three dimensions; rows of a block are half a sector.
__global__ void fill(float* out) {
  const int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  const int z = blockIdx.z * 2 + threadIdx.z;
  out[(z * 8 + y) * 8 + x] = 1;  // draws: global store 8:64
}

int main() {
  float* out;
  cudaMalloc(&out, 256 * sizeof(float));
  cudaMemset(out, 0, 256 * sizeof(float));
  fill<<<dim3(2, 2, 2), dim3(4, 4, 2)>>>(out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
