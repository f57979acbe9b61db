// Barriers of a block, and blocks that hand work over through memory.
#include "support.h"

namespace {

// Each thread reads what its neighbor wrote, round after round.
__global__ void rotate(int* out, int rounds) {
  __shared__ int ring[256];
  const unsigned t = threadIdx.x;
  ring[t] = static_cast<int>(t);
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    const int next = ring[(t + 1) % blockDim.x];
    __syncthreads();
    ring[t] = next;
    __syncthreads();
  }
  out[t] = ring[t];
}

__global__ void early_exit(int* out) {
  __shared__ int ready;
  if (threadIdx.x >= 40) return;
  if (threadIdx.x == 0) ready = 1;
  __syncthreads();
  out[threadIdx.x] = ready;
  // More threads leave while the others wait.
  if (threadIdx.x % 3 == 0) return;
  __syncthreads();
  out[threadIdx.x] = 2;
}

// Every other block has nothing to wait for.
__global__ void reverse_in_some_blocks(int* out) {
  __shared__ int value[64];
  const unsigned t = threadIdx.x;
  int* const mine = out + blockIdx.x * blockDim.x;
  mine[t] = static_cast<int>(t);
  if (blockIdx.x % 2 == 1) return;
  value[t] = mine[t];
  __syncthreads();
  mine[t] = value[blockDim.x - 1 - t];
}

__global__ void counts(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  out[3 * t] = __syncthreads_count(t % 3 == 0);
  out[3 * t + 1] = __syncthreads_and(t < 100);
  out[3 * t + 2] = __syncthreads_or(t == 77);
}
__global__ void counts_of_the_living(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  if (t >= 10) return;
  out[t] = 100 * __syncthreads_and(t < 10) + __syncthreads_count(1);
}

// The last block to finish adds what all blocks have left in memory.
__device__ unsigned blocks_done = 0;
__global__ void sum_in_last_block(const int* in, int* partial, int* sum, int n) {
  __shared__ int block_sum;
  __shared__ bool is_last;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(&block_sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = block_sum;
    __threadfence();
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
  *sum = total;
}

// A tree in shared memory that waits a different number of times in different blocks.
__global__ void tree_sum(const float* in, float* out, int n) {
  extern __shared__ float tree[];
  const int t = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x * blockDim.x) + t;
  tree[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = static_cast<int>(blockDim.x) / 2; half > 0; half /= 2) {
    if (t < half) tree[t] += tree[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tree[0];
}

}  // namespace

TEST_CASE("a barrier separates writes from reads, however often") {
  for (const int threads : {1, 2, 31, 32, 33, 255, 256}) {
    test::DeviceArray<int> out(static_cast<std::size_t>(threads));
    rotate<<<1, threads>>>(out.get(), 5);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    std::vector<int> expected;
    for (int t = 0; t < threads; ++t) expected.push_back((t + 5) % threads);
    CHECK(out.read() == expected);
  }
}

TEST_CASE("a barrier does not wait for threads that have exited") {
  test::DeviceArray<int> out(64, -1);
  early_exit<<<1, 64>>>(out.get());
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  std::vector<int> expected;
  for (int t = 0; t < 64; ++t) expected.push_back(t >= 40 ? -1 : t % 3 == 0 ? 1 : 2);
  CHECK(out.read() == expected);
}

TEST_CASE("blocks without a barrier come between blocks with one") {
  constexpr int kBlocks = 64, kThreads = 64;
  test::DeviceArray<int> out(kBlocks * kThreads);
  reverse_in_some_blocks<<<kBlocks, kThreads>>>(out.get());
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  std::vector<int> expected;
  for (int i = 0; i < kBlocks * kThreads; ++i)
    expected.push_back(i / kThreads % 2 == 1 ? i % kThreads : kThreads - 1 - i % kThreads);
  CHECK(out.read() == expected);
}

TEST_CASE("__syncthreads_count, _and, _or") {
  test::DeviceArray<int> out(3 * 128);
  counts<<<1, 128>>>(out.get());
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  const std::vector<int> got = out.read();
  for (std::size_t t = 0; t < 128; ++t) {
    CHECK(got[3 * t] == 43);
    CHECK(got[3 * t + 1] == 0);
    CHECK(got[3 * t + 2] == 1);
  }
  counts<<<1, 70>>>(out.get());
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.read()[1] == 1);
  CHECK(out.read()[2] == 0);
  test::DeviceArray<int> few(10);
  counts_of_the_living<<<1, 48>>>(few.get());
  CHECK(few.read() == std::vector<int>(10, 110));
}

TEST_CASE("the last block sees what all other blocks have written") {
  const int blocks = 200;
  const int n = blocks * 64 - 5;
  std::vector<int> values;
  int expected = 0;
  for (int i = 0; i < n; ++i) {
    values.push_back(i % 17 - 3);
    expected += i % 17 - 3;
  }
  const test::DeviceArray<int> in(values);
  const test::DeviceArray<int> partial(blocks);
  // More than once: the counter has to start over.
  for (int repeat = 0; repeat < 20; ++repeat) {
    const test::DeviceArray<int> sum(1, -1);
    sum_in_last_block<<<blocks, 64>>>(in.get(), partial.get(), sum.get(), n);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(sum.read()[0] == expected);
  }
}

TEST_CASE("blocks that wait are spread over the workers without mixing") {
  const int blocks = 500;
  const int threads = 128;
  std::vector<float> values(blocks * threads);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 101);
  const test::DeviceArray<float> in(values);
  const test::DeviceArray<float> out(blocks);
  tree_sum<<<blocks, threads, threads * sizeof(float)>>>(in.get(), out.get(), blocks * threads);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  const std::vector<float> got = out.read();
  for (std::size_t b = 0; b < blocks; ++b) {
    float expected = 0;
    for (std::size_t t = 0; t < threads; ++t) expected += values[b * threads + t];
    CHECK(got[b] == expected);
  }
}
