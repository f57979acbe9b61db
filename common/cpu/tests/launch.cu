// Launches: indices, arguments, kernels of all sorts, and configurations that CUDA refuses.
#include <cooperative_groups.h>

#include <cstdint>

#include "support.h"

namespace {

__global__ void write_index(unsigned* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] += block * threads + thread + 1;
}

// The same with a wait, so that the threads run on fibers.
__global__ void write_index_after_barrier(unsigned* out) {
  __syncthreads();
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] += block * threads + thread + 1;
}

__global__ void count_threads(unsigned long long* count) { atomicAdd(count, 1ull); }

__global__ void last_index(unsigned long long* largest) {
  atomicMax(largest, 1ull * blockIdx.x * blockDim.x + threadIdx.x);
}

template <class T, int Factor>
__global__ void scale(T* data) {
  data[threadIdx.x] *= Factor;
}

template <class Function>
__global__ void apply(Function function, int* out) {
  out[threadIdx.x] = function(static_cast<int>(threadIdx.x));
}

struct Coefficients {
  double a, b;
  short c[3];
};
__global__ void use_struct(Coefficients k, double* out) { *out = k.a + k.b + k.c[2]; }

__global__ void __launch_bounds__(128, 2) bounded(int* out) { *out = 7; }
template <int kThreads>
__global__ void __launch_bounds__(2 * kThreads) bounded_template(int* out) {
  *out = kThreads;
}

__global__ void needs_shared(int* out) {
  extern __shared__ int bytes[];
  bytes[threadIdx.x] = 5;
  out[threadIdx.x] = bytes[threadIdx.x];
}

__global__ void change_argument(int value, int* out) {
  // A parameter is each thread's own.
  value += static_cast<int>(threadIdx.x);
  out[threadIdx.x] = value;
}

std::vector<unsigned> numbers_from_one(std::size_t n) {
  std::vector<unsigned> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<unsigned>(i) + 1;
  return v;
}

// Every block is there at once, on a worker of its own.
__global__ void count_threads_everywhere(unsigned long long* count) {
  atomicAdd(count, 1ull);
  cooperative_groups::this_grid().sync();
  atomicAdd(count, 1ull);
}

__global__ void nothing() {}

__global__ void stop_in_first_block() { __trap(); }

}  // namespace

TEST_CASE("every thread of a 3-D grid of 3-D blocks runs once, with its own indices") {
  const dim3 grid(3, 2, 4);
  const dim3 block(5, 3, 2);
  const std::size_t n = 3 * 2 * 4 * 5 * 3 * 2;
  SUBCASE("without a barrier") {
    test::DeviceArray<unsigned> out(n, 0);
    write_index<<<grid, block>>>(out.get());
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out.read() == numbers_from_one(n));
  }
  SUBCASE("with a barrier") {
    test::DeviceArray<unsigned> out(n, 0);
    write_index_after_barrier<<<grid, block>>>(out.get());
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out.read() == numbers_from_one(n));
  }
}

TEST_CASE("the largest legal shapes run") {
  for (const dim3 block : {dim3(1024), dim3(1, 1024), dim3(4, 4, 64)}) {
    test::DeviceArray<unsigned long long> count(1, 0);
    count_threads<<<dim3(1, 2, 3), block>>>(count.get());
    REQUIRE(cudaGetLastError() == cudaSuccess);
    CHECK(count.read()[0] == 6 * 1024);
  }
  for (const dim3 grid : {dim3(1, 65535), dim3(1, 1, 65535), dim3(65536)}) {
    test::DeviceArray<unsigned long long> count(1, 0);
    count_threads<<<grid, 1>>>(count.get());
    REQUIRE(cudaGetLastError() == cudaSuccess);
    CHECK(count.read()[0] == std::size_t{grid.x} * grid.y * grid.z);
  }
}

// meson.build asks for 64 workers, too, whose stacks' guards would take all mappings there are.
TEST_CASE("all workers run blocks of 1024 threads at once") {
  cudaDeviceProp device{};
  REQUIRE(cudaGetDeviceProperties(&device, 0) == cudaSuccess);
  const auto blocks = static_cast<unsigned>(device.multiProcessorCount);
  const test::DeviceArray<unsigned long long> count(1, 0);
  unsigned long long* pointer = count.get();
  void* arguments[] = {&pointer};
  REQUIRE(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(count_threads_everywhere),
                                      dim3(blocks), dim3(1024), arguments, 0,
                                      nullptr) == cudaSuccess);
  CHECK(count.read()[0] == 2 * 1024ull * blocks);
  // There are mappings left for others.
  void* more = nullptr;
  CHECK(cudaMalloc(&more, 256 << 20) == cudaSuccess);
  CHECK(cudaFree(more) == cudaSuccess);
}

TEST_CASE("a grid has more than 65535 blocks along x") {
  const unsigned grid = (1u << 22) + 1;
  const test::DeviceArray<unsigned long long> largest(1, 0);
  last_index<<<grid, 1>>>(largest.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  CHECK(largest.read()[0] == grid - 1);
}

TEST_CASE("the product of the grid's extents can exceed 32 bits") {
  // Blocks beyond 2^32 would be lost, or the grid be seen as empty, in 32-bit arithmetic. The
  // first block to come ends the launch, as nobody wants to wait for all of them.
  const test::ResetAfterwards reset;
  test::Captured errors(stderr);
  stop_in_first_block<<<dim3(65536, 65535, 2), 1>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  test::check_contains(errors.text(), {"__trap", "block (0,0,0)"});
}

TEST_CASE("kernels are templates, take lambdas and structures, and have launch bounds") {
  test::DeviceArray<double> doubles(std::vector<double>{1.5, 2.5});
  scale<double, 3><<<1, 2>>>(doubles.get());
  CHECK(doubles.read() == std::vector<double>{4.5, 7.5});

  test::DeviceArray<int> ints(4, 0);
  const int offset = 40;
  apply<<<1, 4>>>([=] __device__(int i) { return i * i + offset; }, ints.get());
  CHECK(ints.read() == std::vector<int>{40, 41, 44, 49});

  test::DeviceArray<double> sum(1, 0.0);
  use_struct<<<1, 1>>>(Coefficients{1.25, 2.5, {0, 0, 4}}, sum.get());
  CHECK(sum.read()[0] == 7.75);

  bounded<<<1, 1>>>(ints.get());
  CHECK(ints.read()[0] == 7);
  REQUIRE(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a thread that changes a parameter changes its own copy") {
  test::DeviceArray<int> out(3, 0);
  change_argument<<<1, 3>>>(10, out.get());
  CHECK(out.read() == std::vector<int>{10, 11, 12});
}

TEST_CASE("launches inside macros, templates, and with every form of configuration") {
  test::DeviceArray<int> out(64, 0);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  needs_shared<<<dim3(1), dim3(64), 64 * sizeof(int), stream>>>(out.get());
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(out.read() == std::vector<int>(64, 5));
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
  LAUNCH(bounded, out.get());
#undef LAUNCH
  CHECK(out.read()[0] == 7);
  nothing<<<(1 > 0 ? 2 : 1), 1 << 5>>>();
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("configurations that CUDA refuses give its error, and run nothing") {
  struct Refused {
    dim3 grid, block;
    std::size_t shared_bytes;
    cudaError_t error;
  };
  for (const Refused& r : {
           Refused{0, 1, 0, cudaErrorInvalidConfiguration},
           Refused{1, 0, 0, cudaErrorInvalidConfiguration},
           Refused{dim3(1, 0), 1, 0, cudaErrorInvalidConfiguration},
           Refused{dim3(1, 1, 0), 1, 0, cudaErrorInvalidConfiguration},
           Refused{1, 1025, 0, cudaErrorInvalidConfiguration},
           Refused{1, dim3(32, 33), 0, cudaErrorInvalidConfiguration},
           Refused{1, dim3(1, 1, 65), 0, cudaErrorInvalidConfiguration},
           Refused{1, dim3(1, 1025), 0, cudaErrorInvalidConfiguration},
           // The product of the extents would be 0 in 32 bits.
           Refused{1, dim3(1u << 16, 1u << 16), 0, cudaErrorInvalidConfiguration},
           Refused{0x80000000u, 1, 0, cudaErrorInvalidConfiguration},
           Refused{dim3(1, 65536), 1, 0, cudaErrorInvalidConfiguration},
           Refused{dim3(1, 1, 65536), 1, 0, cudaErrorInvalidConfiguration},
           Refused{1, 1, 48 * 1024 + 1, cudaErrorInvalidValue},
       }) {
    test::DeviceArray<unsigned long long> count(1, 0);
    count_threads<<<r.grid, r.block, r.shared_bytes>>>(count.get());
    CHECK(cudaPeekAtLastError() == r.error);
    CHECK(cudaGetLastError() == r.error);
    CHECK(cudaGetLastError() == cudaSuccess);
    // Not sticky: nothing was wrong with the device.
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(count.read()[0] == 0);
  }
}

// As on an H200, where even 2048 threads are an invalid value rather than an invalid configuration.
TEST_CASE("a block has no more threads than the kernel's launch bounds allow") {
  test::DeviceArray<int> out(1, 0);
  for (const dim3 block : {dim3(129), dim3(16, 16), dim3(1024), dim3(2048)}) {
    bounded<<<1, block>>>(out.get());
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  }
  bounded_template<32><<<1, 65>>>(out.get());
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  int* pointer = out.get();
  void* arguments[] = {&pointer};
  const auto* const address = reinterpret_cast<const void*>(&bounded);
  CHECK(cudaLaunchKernel(address, 1, 129, arguments, 0, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(out.read()[0] == 0);

  bounded<<<1, 128>>>(pointer);
  CHECK(out.read()[0] == 7);
  bounded_template<32><<<1, 64>>>(pointer);
  CHECK(out.read()[0] == 32);
  bounded_template<64><<<1, 65>>>(pointer);
  CHECK(out.read()[0] == 64);
  CHECK(cudaGetLastError() == cudaSuccess);

  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, bounded) == cudaSuccess);
  CHECK(attributes.maxThreadsPerBlock == 128);
  int grid = 0;
  int block = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded) == cudaSuccess);
  CHECK(block == 128);
}

TEST_CASE("a launch into a stream that is gone is refused") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
  nothing<<<1, 1, 0, stream>>>();
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

TEST_CASE("cudaLaunchKernel runs a kernel by its address") {
  test::DeviceArray<int> out(3, 0);
  int value = 20;
  int* pointer = out.get();
  void* arguments[] = {&value, &pointer};
  CHECK(cudaLaunchKernel(change_argument, dim3(1), dim3(3), arguments, 0, nullptr) == cudaSuccess);
  CHECK(out.read() == std::vector<int>{20, 21, 22});
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(change_argument), dim3(1), dim3(2048),
                         arguments, 0, nullptr) == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  double* doubles = nullptr;
  REQUIRE(cudaMallocManaged(&doubles, sizeof(double)) == cudaSuccess);
  *doubles = 1.5;
  void* template_arguments[] = {&doubles};
  CHECK(cudaLaunchKernel(scale<double, 5>, dim3(1), dim3(1), template_arguments) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(*doubles == 7.5);
  CHECK(cudaFree(doubles) == cudaSuccess);
  int no_kernel = 0;
  CHECK(cudaLaunchKernel(static_cast<const void*>(&no_kernel), dim3(1), dim3(1), arguments, 0,
                         nullptr) == cudaErrorInvalidDeviceFunction);
  CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
}
