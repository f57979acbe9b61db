// Global to shared memory without a detour through registers: the primitives, cuda::pipeline with
// two stages of a thread and of a block, cuda::barrier, and cooperative_groups::memcpy_async.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include <cstdio>
#include <numeric>
#include <vector>

namespace cg = cooperative_groups;
using std::size_t;
#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int kThreads = 128;

__global__ void with_primitives(const float4* in, float* sums, int tiles) {
  __shared__ float4 stage[2][kThreads];
  const int t = threadIdx.x;
  const size_t base = size_t(blockIdx.x) * tiles * kThreads;
  __pipeline_memcpy_async(&stage[0][t], &in[base + t], sizeof(float4));
  __pipeline_commit();
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles)
      __pipeline_memcpy_async(&stage[(tile + 1) % 2][t], &in[base + (tile + 1) * kThreads + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float4 v = stage[tile % 2][kThreads - 1 - t];  // another thread's
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  atomicAdd(&sums[blockIdx.x], sum);
}

__global__ void with_thread_pipeline(const float* in, float* sums, int tiles) {
  constexpr size_t stages = 3;
  __shared__ float buffer[stages][kThreads * 4];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const float* base = in + size_t(blockIdx.x) * tiles * kThreads * 4;
  float sum = 0;
  for (int compute = 0, fetch = 0; compute < tiles; ++compute) {
    for (; fetch < tiles && fetch < compute + int(stages); ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[fetch % stages][threadIdx.x * 4],
                         base + fetch * kThreads * 4 + threadIdx.x * 4,
                         cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    for (int i = 0; i < 4; ++i) sum += buffer[compute % stages][threadIdx.x * 4 + i];
    pipe.consumer_release();
  }
  atomicAdd(sums + blockIdx.x, sum);
}

template <unsigned Stages>
__global__ void with_block_pipeline(const float* in, float* sums, int tiles) {
  extern __shared__ float shared[];  // (Stages, 4 * blockDim.x)
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  const unsigned elements = 4 * block.size();
  const float* base = in + size_t(block.group_index().x) * tiles * elements;

  auto fetch = [&](int tile) {
    pipeline.producer_acquire();
    if (tile < tiles)
      cuda::memcpy_async(block, shared + (tile % Stages) * elements, base + tile * elements,
                         sizeof(float) * elements, pipeline);
    pipeline.producer_commit();
  };
  for (int tile = 0; tile < int(Stages) - 1; ++tile) fetch(tile);
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    fetch(tile + Stages - 1);
    pipeline.consumer_wait();
    for (unsigned i = block.thread_rank(); i < elements; i += block.size())
      sum += shared[(tile % Stages) * elements + i];
    block.sync();
    pipeline.consumer_release();
  }
  atomicAdd(&sums[blockIdx.x], sum);
}

__global__ void with_barrier_and_groups(const float* in, float* sums, int tiles) {
  __shared__ float tile_a[kThreads * 4], tile_b[kThreads * 4];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  const float* base = in + size_t(blockIdx.x) * tiles * kThreads * 4;
  float sum = 0;
  for (int tile = 0; tile < tiles; tile += 2) {
    cuda::memcpy_async(block, tile_a, base + tile * kThreads * 4, sizeof(tile_a), barrier);
    barrier.arrive_and_wait();
    if (tile + 1 < tiles)
      cg::memcpy_async(block, tile_b, base + (tile + 1) * kThreads * 4, sizeof(tile_b));
    for (int i = 0; i < 4; ++i) sum += tile_a[(threadIdx.x * 4 + 16 + i) % (kThreads * 4)];
    cg::wait(block);
    if (tile + 1 < tiles)
      for (int i = 0; i < 4; ++i) sum += tile_b[threadIdx.x + i * kThreads];
    block.sync();
  }
  atomicAdd(&sums[blockIdx.x], sum);
}

int main() {
  const int blocks = 5, tiles = 7, n = blocks * tiles * kThreads * 4;
  std::vector<float> in(n), expected(blocks), out(blocks);
  for (int i = 0; i < n; ++i) expected[i / (n / blocks)] += in[i] = i % 19 - 7;

  float *d_in, *d_sums;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_sums, blocks * sizeof(float));
  cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  int failures = 0;
  const char* names[] = {"primitives", "thread pipeline", "block pipeline", "barrier and groups"};
  for (int variant = 0; variant < 4; ++variant) {
    cudaMemset(d_sums, 0, blocks * sizeof(float));
    switch (variant) {
      case 0:
        with_primitives<<<blocks, kThreads>>>(reinterpret_cast<const float4*>(d_in), d_sums, tiles);
        break;
      case 1:
        with_thread_pipeline<<<blocks, kThreads>>>(d_in, d_sums, tiles);
        break;
      case 2:
        with_block_pipeline<3>
            <<<blocks, kThreads, 3 * 4 * kThreads * sizeof(float)>>>(d_in, d_sums, tiles);
        break;
      default:
        with_barrier_and_groups<<<blocks, kThreads>>>(d_in, d_sums, tiles);
    }
    cudaMemcpy(out.data(), d_sums, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    const bool right = cudaGetLastError() == cudaSuccess && out == expected;
    std::printf("%s: %s\n", names[variant], right ? "ok" : "wrong");
    failures += !right;
  }
  cudaFree(d_in);
  cudaFree(d_sums);
  return failures;
}
