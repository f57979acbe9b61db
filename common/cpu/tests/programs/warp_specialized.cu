// One warp loads while the others compute: two buffers, each with a barrier that says that it is
// full and one that says that it is free. The counter of rounds is a cuda::std::atomic.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <new>

#include "check.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kWarp = 32;
constexpr int kStages = 2;
constexpr int kPart = 64;

__device__ void load(Barrier* full, Barrier* free, float (*buffers)[kPart], const float* in,
                     int parts) {
  for (int part = 0; part < parts; ++part) {
    const int stage = part % kStages;
    free[stage].arrive_and_wait();
    for (int i = threadIdx.x; i < kPart; i += kWarp) buffers[stage][i] = in[part * kPart + i];
    (void)full[stage].arrive();
  }
}

__device__ void compute(Barrier* full, Barrier* free, float (*buffers)[kPart], float* out,
                        int parts) {
  for (int stage = 0; stage < kStages; ++stage) (void)free[stage].arrive();
  for (int part = 0; part < parts; ++part) {
    const int stage = part % kStages;
    full[stage].arrive_and_wait();
    for (int i = threadIdx.x - kWarp; i < kPart; i += blockDim.x - kWarp)
      out[part * kPart + i] = 2 * buffers[stage][kPart - 1 - i];
    (void)free[stage].arrive();
  }
}

__global__ void reverse_parts(const float* in, float* out, int parts,
                              cuda::std::atomic<int>* rounds) {
  __shared__ Barrier full[kStages];
  __shared__ Barrier free[kStages];
  __shared__ float buffers[kStages][kPart];
  const auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() < kStages) {
    init(&full[block.thread_rank()], block.size());
    init(&free[block.thread_rank()], block.size());
  }
  block.sync();
  if (block.thread_rank() < kWarp)
    load(full, free, buffers, in, parts);
  else
    compute(full, free, buffers, out, parts);
  if (block.thread_rank() == 0) rounds->fetch_add(parts, cuda::std::memory_order_relaxed);
}

int main() {
  const int parts = 9, n = parts * kPart;
  float *in, *out;
  cuda::std::atomic<int>* rounds;
  CUDA_CHECK(cudaMallocManaged(&in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&rounds, sizeof *rounds));
  new (rounds) cuda::std::atomic<int>(0);
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i);
  reverse_parts<<<1, 96>>>(in, out, parts, rounds);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) {
    const int first = i / kPart * kPart;
    EXPECT(out[i] == 2.0f * static_cast<float>(first + kPart - 1 - (i - first)));
  }
  EXPECT(rounds->load() == parts);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  CUDA_CHECK(cudaFree(rounds));
}
