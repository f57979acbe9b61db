// Prints from kernels, and what becomes of that.
//
// usage: printing CASE
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void say(const char* what, int number, int* returned) {
  *returned = printf("%s %d %.1f%% %*d\n", what, number, 0.5, 3, 7);
  printf("a line\n");
  printf("%c\n", 'c');
}
__global__ void say_and_spin(const volatile int* flag) {
  printf("before it spins\n");
  while (*flag == 0) {
  }
}
__global__ void say_much(int lines) {
  for (int i = 0; i < lines; ++i) printf("line %4d of many\n", i);
}

int main(int, char** arguments) {
  const char* const what = arguments[1];
  const auto is = [what](const char* name) { return std::strcmp(what, name) == 0; };
  int* memory = nullptr;
  cudaMallocManaged(&memory, 2 * sizeof(int));
  std::memset(memory, 0, 2 * sizeof(int));
  char* text = nullptr;
  cudaMallocManaged(&text, 16);
  std::strcpy(text, "kernel");
  if (is("order")) {
    say<<<1, 1>>>(text, 1, memory);
    std::printf("host\n");  // comes first: nothing has synchronized yet
    cudaMemcpy(memory + 1, memory, sizeof(int), cudaMemcpyDefault);
    std::printf("returned %d\n", memory[1]);
  } else if (is("spins")) {
    say_and_spin<<<1, 1>>>(memory);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  } else if (is("aborts")) {
    say<<<1, 1>>>(text, 1, memory);
    cudaDeviceSynchronize();
    std::abort();
  } else if (is("leaves")) {
    say<<<1, 1>>>(text, 1, memory);
    return 0;
  } else {
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2000);
    say_much<<<1, 1>>>(200);
    cudaDeviceSynchronize();
  }
  cudaFree(memory);
  cudaFree(text);
}
