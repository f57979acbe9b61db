// Shared memory: static, dynamic, of several types, in templates and at namespace scope.
#include "support.h"

namespace {

__shared__ int at_namespace_scope[32];

__global__ void use_namespace_scope(int* out) {
  at_namespace_scope[threadIdx.x] = static_cast<int>(blockIdx.x * 100 + threadIdx.x);
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = at_namespace_scope[31 - threadIdx.x];
}

// Two arrays of different types in one file, both begin where dynamic shared memory begins.
__global__ void dynamic_ints(int* out) {
  extern __shared__ int values_i[];
  values_i[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = values_i[blockDim.x - 1 - threadIdx.x];
}
__global__ void dynamic_doubles(double* out) {
  extern __shared__ double values_d[];
  values_d[threadIdx.x] = threadIdx.x + 0.5;
  __syncthreads();
  out[threadIdx.x] = values_d[blockDim.x - 1 - threadIdx.x];
}
// The classic way to have several dynamic arrays, and two declarations in one kernel.
__global__ void several_dynamic(int n, float* out) {
  extern __shared__ unsigned char raw[];
  extern __shared__ float same_place[];
  float* const floats = reinterpret_cast<float*>(raw);
  int* const ints = reinterpret_cast<int*>(floats + n);
  short* const shorts = reinterpret_cast<short*>(ints + n);
  const int t = static_cast<int>(threadIdx.x);
  floats[t] = static_cast<float>(t);
  ints[t] = 2 * t;
  shorts[t] = static_cast<short>(3 * t);
  __syncthreads();
  const int u = n - 1 - t;
  out[t] = same_place[u] + static_cast<float>(ints[u] + shorts[u]);
}

template <class T>
__global__ void dynamic_of_template(T* out) {
  extern __shared__ __align__(16) unsigned char bytes_of_t[];
  T* const values = reinterpret_cast<T*>(bytes_of_t);
  values[threadIdx.x] = static_cast<T>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = values[(threadIdx.x + 1) % blockDim.x];
}

template <int Rows, int Columns>
__global__ void tile_of_template(int* out) {
  __shared__ int tile[Rows][Columns + 1], spare[2];
  tile[threadIdx.y][threadIdx.x] = static_cast<int>(threadIdx.y * Columns + threadIdx.x);
  if (threadIdx.x == 0 && threadIdx.y == 0) spare[1] = 1000;
  __syncthreads();
  out[threadIdx.y * Columns + threadIdx.x] =
      tile[Rows - 1 - threadIdx.y][Columns - 1 - threadIdx.x] + spare[1];
}

// Shared memory holds nothing when a block begins, whatever the block before has left in it.
__global__ void look_then_write(unsigned* seen) {
  __shared__ unsigned left_behind;
  extern __shared__ unsigned dynamic_left_behind[];
  if (threadIdx.x == 0) {
    seen[2 * blockIdx.x] = left_behind;
    seen[2 * blockIdx.x + 1] = dynamic_left_behind[3];
    left_behind = 42;
    dynamic_left_behind[3] = 43;
  }
}

__global__ void is_aligned(int* ok) {
  __shared__ char one;
  __shared__ double d;
  __shared__ float4 f;
  extern __shared__ char start[];
  one = 0;
  const auto misaligned = [](const void* p, std::size_t to) {
    return reinterpret_cast<std::size_t>(p) % to != 0;
  };
  *ok = one == 0 && !misaligned(&d, 8) && !misaligned(&f, 16) && !misaligned(start, 16);
}

__device__ int* shared_counter() {
  __shared__ int counter;
  return &counter;
}
__global__ void through_function(int* out) {
  if (threadIdx.x == 0) *shared_counter() = 0;
  __syncthreads();
  atomicAdd(shared_counter(), 1);
  __syncthreads();
  if (threadIdx.x == 0) *out = *shared_counter();
}

__global__ void fill_dynamic(int words, int* sum) {
  extern __shared__ int many[];
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x)) {
    many[i] = 1;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  *sum = 0;
  for (int i = 0; i < words; ++i) *sum += many[i];
}

__global__ void static_and_dynamic(int* sum) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[256];
  fixed[threadIdx.x] = 1;
  dynamic[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int both = 0;
  for (unsigned t = 0; t < blockDim.x; ++t) both += fixed[t] * dynamic[t];
  *sum = both;
}

}  // namespace

TEST_CASE("a shared array at namespace scope") {
  const test::DeviceArray<int> out(64);
  use_namespace_scope<<<2, 32>>>(out.get());
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  std::vector<int> expected;
  for (int i = 0; i < 64; ++i) expected.push_back(i / 32 * 100 + 31 - i % 32);
  CHECK(out.read() == expected);
}

TEST_CASE("dynamic shared arrays of several types") {
  const test::DeviceArray<int> ints(4);
  dynamic_ints<<<1, 4, 4 * sizeof(int)>>>(ints.get());
  CHECK(ints.read() == std::vector<int>{3, 2, 1, 0});
  const test::DeviceArray<double> doubles(3);
  dynamic_doubles<<<1, 3, 3 * sizeof(double)>>>(doubles.get());
  CHECK(doubles.read() == std::vector<double>{2.5, 1.5, 0.5});
  const test::DeviceArray<float> sums(3);
  several_dynamic<<<1, 3, 3 * (4 + 4 + 2)>>>(3, sums.get());
  CHECK(sums.read() == std::vector<float>{12, 6, 0});
  const test::DeviceArray<short> shorts(3);
  dynamic_of_template<short><<<1, 3, 3 * sizeof(short)>>>(shorts.get());
  CHECK(shorts.read() == std::vector<short>{1, 2, 0});
  const test::DeviceArray<double> more(3);
  dynamic_of_template<double><<<1, 3, 3 * sizeof(double)>>>(more.get());
  CHECK(more.read() == std::vector<double>{1, 2, 0});
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("shared arrays in templates have a place for each instance") {
  const test::DeviceArray<int> small(6);
  tile_of_template<2, 3><<<1, dim3(3, 2)>>>(small.get());
  CHECK(small.read() == std::vector<int>{1005, 1004, 1003, 1002, 1001, 1000});
  const test::DeviceArray<int> large(32 * 32);
  tile_of_template<32, 32><<<1, dim3(32, 32)>>>(large.get());
  const std::vector<int> got = large.read();
  for (int i = 0; i < 1024; ++i) CHECK(got[static_cast<std::size_t>(i)] == 2023 - i);
}

TEST_CASE("a block finds its shared memory poisoned") {
  const int blocks = 50;
  const test::DeviceArray<unsigned> seen(2 * blocks);
  look_then_write<<<blocks, 32, 16>>>(seen.get());
  CHECK(seen.read() == std::vector<unsigned>(2 * blocks, 0xffffffffu));
}

TEST_CASE("shared variables are aligned, and live in device functions too") {
  const test::DeviceArray<int> out(1, 0);
  is_aligned<<<1, 1, 64>>>(out.get());
  CHECK(out.read()[0] == 1);
  through_function<<<1, 77>>>(out.get());
  CHECK(out.read()[0] == 77);
}

TEST_CASE("more than 48 KiB need permission, and more than 227 KiB are never granted") {
  const int bytes = 100 * 1024;
  const test::DeviceArray<int> sum(1, -1);
  fill_dynamic<<<1, 64, bytes>>>(bytes / 4, sum.get());
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(sum.read()[0] == -1);

  REQUIRE(cudaFuncSetAttribute(fill_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) ==
          cudaSuccess);
  fill_dynamic<<<1, 64, bytes>>>(bytes / 4, sum.get());
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(sum.read()[0] == bytes / 4);

  fill_dynamic<<<1, 64, bytes + 4>>>(bytes / 4, sum.get());
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(fill_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             227 * 1024 + 1) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);

  // The permission is this kernel's alone, and so is that of each instance of a template.
  const test::DeviceArray<double> doubles(1);
  dynamic_of_template<double><<<1, 1, bytes>>>(doubles.get());
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  REQUIRE(cudaFuncSetAttribute(dynamic_of_template<double>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) == cudaSuccess);
  dynamic_of_template<double><<<1, 1, bytes>>>(doubles.get());
  CHECK(cudaGetLastError() == cudaSuccess);
  const test::DeviceArray<short> shorts(1);
  dynamic_of_template<short><<<1, 1, bytes>>>(shorts.get());
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("static and dynamic shared memory count together") {
  const test::DeviceArray<int> sum(1, -1);
  static_and_dynamic<<<1, 32, 47 * 1024>>>(sum.get());
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(sum.read()[0] == 32);
  {
    const test::ResetAfterwards reset;
    test::Captured errors(stderr);
    static_and_dynamic<<<1, 32, 48 * 1024>>>(sum.get());
    CHECK(cudaDeviceSynchronize() == cudaErrorInvalidValue);
    test::check_contains(errors.text(), {"Static and dynamic shared memory", "static_and_dynamic"});
  }
  const test::DeviceArray<int> after(1, -1);
  REQUIRE(cudaFuncSetAttribute(static_and_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               49 * 1024) == cudaSuccess);
  static_and_dynamic<<<1, 32, 48 * 1024>>>(after.get());
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(after.read()[0] == 32);
}
