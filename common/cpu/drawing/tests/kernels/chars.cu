// Four lanes to a word.
__global__ void invert(unsigned char* x) {
  x[threadIdx.x] = 255 - x[threadIdx.x];  // draws: global load 4:4, global store 4:4
}

int main() {
  unsigned char* x;
  cudaMalloc(&x, 128 * sizeof(unsigned char));
  cudaMemset(x, 0, 128 * sizeof(unsigned char));
  invert<<<1, 128>>>(x);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
