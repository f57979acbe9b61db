// Prints from a kernel and from the host, in this order.
#include <stdio.h>

__global__ void hello(const char* greeting, double x) {
  if (threadIdx.x % 2 == 0)
    printf("%s from thread (%d, %d), %.2f\n", greeting, blockIdx.x, threadIdx.x, x);
}

int main() {
  hello<<<1, 4>>>("hello", 0.5);
  cudaDeviceSynchronize();
  printf("done\n");
  return 0;
}
