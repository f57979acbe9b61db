// Cooperative groups: a block, tiles of a warp and of less, a sum by shuffles and by cg::reduce.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

template <typename Tile>
__device__ int tile_sum(const Tile& tile, int value) {
  for (int i = tile.size() / 2; i > 0; i /= 2) value += tile.shfl_down(value, i);
  return value;
}

__global__ void sums(const int* in, int* by_shuffle, int* by_reduce, int* whole, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  const int i = block.group_index().x * block.size() + block.thread_rank();
  const int value = i < n ? in[i] : 0;

  const int sum = tile_sum(quad, value);
  if (quad.thread_rank() == 0) by_shuffle[i / 4] = sum;
  by_reduce[i] = cg::reduce(quad, value, cg::plus<int>());

  __shared__ int total;
  if (block.thread_rank() == 0) total = 0;
  block.sync();
  const int warp_total = cg::reduce(warp, value, cg::plus<int>());
  if (warp.thread_rank() == 0) atomicAdd(&total, warp_total);
  cg::sync(block);
  if (block.thread_rank() == 0) whole[block.group_index().x] = total;
}

int main() {
  const int threads = 128, blocks = 6, n = threads * blocks - 5;
  int *in, *by_shuffle, *by_reduce, *whole;
  CUDA_CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&by_shuffle, threads * blocks / 4 * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&by_reduce, threads * blocks * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&whole, blocks * sizeof(int)));
  for (int i = 0; i < n; ++i) in[i] = i * 31 % 97;
  sums<<<blocks, threads>>>(in, by_shuffle, by_reduce, whole, n);
  CUDA_CHECK(cudaDeviceSynchronize());

  for (int b = 0; b < blocks; ++b) {
    int total = 0;
    for (int q = b * threads / 4; q < (b + 1) * threads / 4; ++q) {
      int sum = 0;
      for (int i = 4 * q; i < 4 * q + 4; ++i) sum += i < n ? in[i] : 0;
      EXPECT(by_shuffle[q] == sum);
      for (int i = 4 * q; i < 4 * q + 4; ++i) EXPECT(by_reduce[i] == sum);
      total += sum;
    }
    EXPECT(whole[b] == total);
  }
  for (void* p : {(void*)in, (void*)by_shuffle, (void*)by_reduce, (void*)whole}) CUDA_CHECK(cudaFree(p));
}
