// Asynchronous copies: complete after the wait, and not before it.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "support.h"

namespace cg = cooperative_groups;

namespace {

// Four batches; after each wait the program looks at how far the copies have come.
__global__ void batches(const int* in, unsigned* done) {
  __shared__ int stage[4];
  for (int i = 0; i < 4; ++i) {
    __pipeline_memcpy_async(&stage[i], &in[i], sizeof(int));
    __pipeline_commit();
  }
  const auto arrived = [&] {
    unsigned mask = 0;
    for (int i = 0; i < 4; ++i) mask |= stage[i] == in[i] ? 1u << i : 0u;
    return mask;
  };
  done[0] = arrived();
  __pipeline_wait_prior(3);
  done[1] = arrived();
  __pipeline_wait_prior(1);
  done[2] = arrived();
  __pipeline_wait_prior(0);
  done[3] = arrived();
}

__global__ void uncommitted(const int* in, int* out) {
  __shared__ int stage[2];
  __pipeline_memcpy_async(&stage[0], &in[0], sizeof(int));
  __pipeline_wait_prior(0);
  out[0] = stage[0];
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[1] = stage[0];
}

__global__ void fill_with_zeros(const float4* in, float4* out) {
  __shared__ float4 stage[3];
  __pipeline_memcpy_async(&stage[0], in, sizeof(float4));
  __pipeline_memcpy_async(&stage[1], in, sizeof(float4), 8);
  __pipeline_memcpy_async(&stage[2], in, sizeof(float4), 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int i = 0; i < 3; ++i) out[i] = stage[i];
}

// The copies of a block that never waited must not come to the next block of the worker.
__global__ void forget_to_wait(const int* in, int* out) {
  __shared__ int stage[32];
  const unsigned t = threadIdx.x;
  if (blockIdx.x < gridDim.x / 2) {
    __pipeline_memcpy_async(&stage[t], &in[t], sizeof(int));
    __pipeline_commit();
    out[blockIdx.x * 32 + t] = 0;
  } else {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[blockIdx.x * 32 + t] = stage[t];
  }
}

__global__ void misaligned(const char* in) {
  __shared__ float4 stage[2];
  __pipeline_memcpy_async(&stage[0], in + 4, 16);
}
__global__ void odd_size(const char* in) {
  __shared__ float4 stage[2];
  __pipeline_memcpy_async(&stage[0], in, 12);
}

// Sums of tiles, the next tile on its way while the last one is added.
__global__ void double_buffered(const int* in, int tiles, int* out) {
  __shared__ int buffer[2][64];
  const unsigned t = threadIdx.x;
  int sum = 0;
  __pipeline_memcpy_async(&buffer[0][t], &in[t], sizeof(int));
  __pipeline_commit();
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      __pipeline_memcpy_async(&buffer[(tile + 1) % 2][t], &in[(tile + 1) * 64 + t], sizeof(int));
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += buffer[tile % 2][63 - t];
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void with_thread_pipeline(const int* in, int tiles, int* out) {
  __shared__ int buffer[3][64];
  const unsigned t = threadIdx.x;
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  int sum = 0;
  int fetched = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    for (; fetched < tiles && fetched < tile + 3; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[fetched % 3][t], &in[fetched * 64 + t],
                         cuda::aligned_size_t<4>(sizeof(int)), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    sum += buffer[tile % 3][63 - t];
    __syncthreads();
    pipe.consumer_release();
  }
  out[t] = sum;
}

template <int kStages>
__global__ void with_block_pipeline(const int* in, int tiles, int* out) {
  __shared__ int buffer[kStages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  int fetched = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    for (; fetched < tiles && fetched < tile + kStages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[fetched % kStages], in + fetched * 64, sizeof(int) * 64,
                         pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += buffer[tile % kStages][63 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void with_barrier(const int* in, int tiles, int* out) {
  __shared__ int buffer[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    cuda::memcpy_async(block, buffer, in + tile * 64, sizeof(int) * 64, barrier);
    barrier.arrive_and_wait();
    sum += buffer[63 - threadIdx.x];
    barrier.wait(barrier.arrive());
  }
  out[threadIdx.x] = sum;
}

// The copies are a pipeline's, and a barrier ends its phase when they are done.
__global__ void with_pipeline_and_barrier(const int* in, int tiles, int* out) {
  __shared__ int buffer[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  const unsigned t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    pipe.producer_acquire();
    cuda::memcpy_async(&buffer[t], &in[tile * 64 + t], sizeof(int), pipe);
    cuda::pipeline_producer_commit(pipe, barrier);
    barrier.arrive_and_wait();
    sum += buffer[63 - t];
    barrier.arrive_and_wait();
  }
  out[t] = sum;
}

constexpr int kBarrierOfMoreLine = __LINE__ + 5;
__global__ void barrier_of_more() {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, 40);
  __syncthreads();
  barrier.arrive_and_wait();
}

__global__ void barrier_without_init() {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  barrier.arrive_and_wait();
}

__global__ void with_group(const int* in, int tiles, int* out) {
  __shared__ int buffer[64];
  const cg::thread_block block = cg::this_thread_block();
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    cg::memcpy_async(block, buffer, in + tile * 64, sizeof(int) * 64);
    cg::wait(block);
    sum += buffer[63 - threadIdx.x];
    block.sync();
  }
  out[threadIdx.x] = sum;
}

}  // namespace

TEST_CASE("a wait completes the batches it waits for, and no others") {
  const test::DeviceArray<int> in(std::vector<int>{5, 6, 7, 8});
  const test::DeviceArray<unsigned> done(4, 99u);
  batches<<<1, 1>>>(in.get(), done.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  CHECK(done.read() == std::vector<unsigned>{0, 1, 7, 15});
}

TEST_CASE("copies that were not committed are not waited for") {
  const test::DeviceArray<int> in(1, 5);
  const test::DeviceArray<int> out(2, 0);
  uncommitted<<<1, 1>>>(in.get(), out.get());
  CHECK(out.read() == std::vector<int>{-1, 5});
}

TEST_CASE("the end of a copy may be zeros") {
  const test::DeviceArray<float4> in(1, make_float4(1, 2, 3, 4));
  const test::DeviceArray<float4> out(3);
  fill_with_zeros<<<1, 1>>>(in.get(), out.get());
  std::vector<float> got;
  for (const float4& v : out.read()) got.insert(got.end(), {v.x, v.y, v.z, v.w});
  CHECK(got == std::vector<float>{1, 2, 3, 4, 1, 2, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("copies that nobody waited for end with their block") {
  const test::DeviceArray<int> in(32, 7);
  const test::DeviceArray<int> out(40 * 32);
  forget_to_wait<<<40, 32>>>(in.get(), out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  const std::vector<int> got = out.read();
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == (i < got.size() / 2 ? 0 : -1));
}

TEST_CASE("copies have 4, 8 or 16 bytes, aligned") {
  const test::ResetAfterwards reset;
  char* in = nullptr;
  REQUIRE(cudaMalloc(&in, 64) == cudaSuccess);
  SUBCASE("misaligned") {
    test::Captured errors(stderr);
    misaligned<<<1, 1>>>(in);
    CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
    test::check_contains(errors.text(), {"__pipeline_memcpy_async", "async_copies.cu:"});
  }
  SUBCASE("of another size") {
    test::Captured errors(stderr);
    odd_size<<<1, 1>>>(in);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    test::check_contains(errors.text(), {"4, 8 or 16 bytes"});
  }
}

TEST_CASE("tiles that are fetched ahead add up") {
  using Kernel = void (*)(const int*, int, int*);
  const Kernel kernels[] = {double_buffered,           with_thread_pipeline,
                            with_block_pipeline<1>,    with_block_pipeline<2>,
                            with_block_pipeline<3>,    with_barrier,
                            with_pipeline_and_barrier, with_group};
  for (std::size_t k = 0; k < std::size(kernels); ++k) {
    CAPTURE(k);
    for (int tiles = 1; tiles < 6; ++tiles) {
      std::vector<int> values;
      for (int i = 0; i < 64 * tiles; ++i) values.push_back(i * i % 1009);
      const test::DeviceArray<int> in(values);
      const test::DeviceArray<int> out(64, -1);
      kernels[k]<<<1, 64>>>(in.get(), tiles, out.get());
      REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
      std::vector<int> expected(64, 0);
      for (std::size_t i = 0; i < values.size(); ++i) expected[63 - i % 64] += values[i];
      CHECK(out.read() == expected);
    }
  }
}

TEST_CASE("a cuda::barrier that expects more arrivals than there are threads") {
  const test::ResetAfterwards reset;
  test::Captured errors(stderr);
  barrier_of_more<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  test::check_contains(errors.text(), {"Deadlock", "lanes 0-31: cuda::barrier::wait",
                                       "async_copies.cu:" + std::to_string(kBarrierOfMoreLine)});
}

TEST_CASE("a cuda::barrier that was not set up") {
  const test::ResetAfterwards reset;
  test::Captured errors(stderr);
  barrier_without_init<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  test::check_contains(errors.text(), {"cuda::barrier", "init()", "async_copies.cu:"});
}
