// __CUDA_ARCH__ is defined in code for the device only: in kernels and device functions, and in
// functions for both where they run on the device.
#include <cstdio>
#include <cstring>

#ifdef __CUDA_ARCH__
#define WHERE 1
#else
#define WHERE 0
#endif
#if __CUDA_ARCH__ >= 700
#include <cuda_fp16.h>
#include <cuda/barrier>
#endif

// Whole functions are hidden.
#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) {
  *address = -1000;  // what old devices would have to do instead
  return value;
}
#endif
#if __CUDA_ARCH__ >= 700
__device__ int generation() { return __CUDA_ARCH__ / 100; }
#endif
#ifdef __CUDA_ARCH__
__device__ int side() { return 1; }
#else
int side() { return 0; }
#endif

__host__ __device__ int where() { return WHERE; }

template <class T>
__host__ __device__ inline T times(T value) {
#ifdef __CUDA_ARCH__
  return value * 2;
#else
  return value * 3;
#endif
}

static_assert(__LINE__ == 43, "lines keep their numbers");

namespace shapes {

struct Base {
  int member = 4;
};

class Square : public Base {
 public:
  __host__ __device__ Square(int side) : side_{side} {
#if defined(__CUDA_ARCH__)
    side_ += 100;
#endif
  }
  __host__ __device__ int operator()() const {
    if (side_ > 100) return side_ + WHERE;
    return side_;
  }
#ifndef __CUDA_ARCH__
  const char* name() const { return "square"; }
#endif

 private:
  int side_;
};

}  // namespace shapes

__host__ __device__ constexpr int folded() { return WHERE; }
static_assert(folded() == 0, "while it compiles, nothing runs on the device");

#if __CUDA_ARCH__ >= 700
__device__ int right_before_the_kernel() { return 700; }
#endif
__global__ void look(int* out, double* sum) {
#if __CUDA_ARCH__ >= 700
  out[0] = generation();
  out[6] = right_before_the_kernel();
#endif
  out[1] = where();
  out[2] = times(5);
  out[3] = shapes::Square(7)();
  out[4] = side();
  atomicAdd(sum, 0.5);
  static_assert(__LINE__ == 88, "lines keep their numbers");
}

// Uses headers that only the device's text includes.
__global__ void meet(int* out) {
#if __CUDA_ARCH__ >= 700
  __shared__ cuda::barrier<cuda::thread_scope_block> here;
  if (threadIdx.x == 0) init(&here, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 1) out[7] = static_cast<int>(__half2float(__float2half(2.5f)) * 2);
  here.arrive_and_wait();
  if (threadIdx.x == 0) out[7] += 1;
#endif
}

template <class F>
__global__ void call(F f, int* out) {
  out[5] = f();
}

#define EXPECT(value, expected)                                               \
  if ((value) != (expected)) {                                                \
    printf("line %d: %s is %d\n", __LINE__, #value, static_cast<int>(value)); \
    return 1;                                                                 \
  }

int main() {
  static_assert(__LINE__ == 115, "lines keep their numbers");
  int* out;
  double* sum;
  cudaMallocManaged(&out, 8 * sizeof(int));
  cudaMallocManaged(&sum, sizeof(double));
  memset(out, 0, 8 * sizeof(int));
  *sum = 1;
  look<<<1, 1>>>(out, sum);
  meet<<<1, 64>>>(out);
  call<<<1, 1>>>([] __device__() { return WHERE + 40; }, out);
  cudaDeviceSynchronize();
#ifdef __CUDA_ARCH__
  return 1;
#endif
  EXPECT(out[0], 9);
  EXPECT(out[1], 1);
  EXPECT(out[2], 10);
  EXPECT(out[3], 108);
  EXPECT(out[4], 1);
  EXPECT(out[5], 41);
  EXPECT(out[6], 700);
  EXPECT(out[7], 6);
  EXPECT(*sum, 1.5);
  EXPECT(where(), 0);
  EXPECT(times(5), 15);
  EXPECT(shapes::Square(7)(), 7);
  EXPECT(side(), 0);
  EXPECT(strcmp(shapes::Square(7).name(), "square"), 0);
  cudaFree(out);
  cudaFree(sum);
  printf("right\n");
}
