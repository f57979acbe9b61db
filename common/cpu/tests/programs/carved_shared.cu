// Several arrays of different types carved out of one piece of dynamic shared memory, and one name
// with two types in templates.
#include "check.h"

struct Item {
  double weight;
  short id;
};

__global__ void carve(double* out, int n) {
  extern __shared__ __align__(16) unsigned char memory[];
  double* doubles = reinterpret_cast<double*>(memory);  // (n)
  Item* items = reinterpret_cast<Item*>(doubles + n);   // (n)
  int* ints = (int*)&items[n];                          // (n)
  char* chars = (char*)(ints + n);                      // (n)
  const int i = threadIdx.x;
  doubles[i] = 0.5 * i;
  items[i].weight = i;
  items[i].id = static_cast<short>(2 * i);
  ints[i] = 3 * i;
  chars[i] = static_cast<char>(i % 100);
  __syncthreads();
  const int j = n - 1 - i;
  out[i] = doubles[j] + items[j].weight + items[j].id + ints[j] + chars[j];
}

template <typename T>
struct SharedMemory {
  __device__ operator T*() const {
    extern __shared__ int raw[];
    return reinterpret_cast<T*>(raw);
  }
};

template <typename T>
__global__ void reverse(T* data) {
  T* shared = SharedMemory<T>();
  shared[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

template <typename T>
void test_reverse() {
  const int n = 100;
  T* data;
  CUDA_CHECK(cudaMallocManaged(&data, n * sizeof(T)));
  for (int i = 0; i < n; ++i) data[i] = T(i);
  reverse<T><<<1, n, n * sizeof(T)>>>(data);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(data[i] == T(n - 1 - i));
  CUDA_CHECK(cudaFree(data));
}

int main() {
  const int n = 200;
  double* out;
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(double)));
  carve<<<1, n, n*(sizeof(double) + sizeof(Item) + sizeof(int) + sizeof(char))>>>(out, n);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) {
    const int j = n - 1 - i;
    EXPECT(out[i] == 6.5 * j + j % 100);
  }
  test_reverse<float>();
  test_reverse<double>();
  test_reverse<unsigned char>();

  // More than 48 KiB takes a word beforehand.
  const int large = 96 * 1024;
  carve<<<1, 1, large>>>(out, 1);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CUDA_CHECK(cudaFuncSetAttribute(carve, cudaFuncAttributeMaxDynamicSharedMemorySize, large));
  carve<<<1, 1, large>>>(out, 1);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(out));
}
