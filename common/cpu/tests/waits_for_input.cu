// A kernel that spins until the host has read a line.
#include <cstdio>

__global__ void say_and_spin(const volatile int* flag) {
  printf("before it spins\n");
  while (*flag == 0) {
  }
}

int main() {
  int* flag = nullptr;
  cudaMallocManaged(&flag, sizeof(int));
  *flag = 0;
  say_and_spin<<<1, 1>>>(flag);
  std::getchar();
  *static_cast<volatile int*>(flag) = 1;
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(flag);
}
