// Nothing to draw.
__global__ void nothing() {}

int main() {
  nothing<<<8, 32>>>();
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
