// Objects of libcu++ and of cooperative groups: atomics with scopes and orders, pipelines of
// producers and consumers, tiles of several warps.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cuda/atomic>
#include <cuda/pipeline>

#include "case.h"

namespace cg = cooperative_groups;

constexpr int kTiles = 6;
constexpr int kTile = 64;

// Block 0 leaves numbers for the other three, and says so by a release; an acquire sees them.
__global__ void message_between_blocks(int* out, int* scratch) {
  const int thread = static_cast<int>(threadIdx.x);
  const cuda::atomic_ref<int, cuda::thread_scope_device> ready(scratch[0]);
  int* const data = scratch + 1;
  if (blockIdx.x == 0) {
    data[thread] = 3 * thread;
    __syncthreads();
    if (thread == 0) ready.store(1, cuda::memory_order_release);
  } else {
    if (thread == 0)
      while (ready.load(cuda::memory_order_acquire) == 0) {
      }
    __syncthreads();
    out[(blockIdx.x - 1) * blockDim.x + threadIdx.x] = data[thread];
  }
}

// Each of 4 blocks adds up its 64 numbers; the last one to come, by an acquire and release, adds up
// the sums: 0 + 1 + ... + 255 = 32640.
__global__ void last_block(int* out, int* scratch) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> sum;
  const int mine = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (threadIdx.x == 0) sum.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  sum.fetch_add(mine, cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x != 0) return;
  const cuda::atomic_ref<int, cuda::thread_scope_device> arrived(scratch[0]);
  scratch[1 + blockIdx.x] = sum.load();
  if (arrived.fetch_add(1, cuda::memory_order_acq_rel) != static_cast<int>(gridDim.x) - 1) return;
  int total = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) total += scratch[1 + block];
  out[0] = total;
}

// A lock of compare and exchange: 8 warps x 4 blocks add 1 each to a number that is no atomic.
__global__ void lock_by_exchange(int* out, int* scratch) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> lock(scratch[0]);
  const cuda::atomic_ref<int, cuda::thread_scope_device> done(scratch[1]);
  int* const count = scratch + 2;
  if (threadIdx.x % 32 != 0) return;
  int free = 0;
  while (!lock.compare_exchange_weak(free, 1, cuda::memory_order_acquire)) free = 0;
  ++*count;
  lock.store(0, cuda::memory_order_release);
  if (done.fetch_add(1, cuda::memory_order_acq_rel) == 31) out[0] = *count;
}

// The remaining operations, by one thread, one after the other.
__global__ void operations(int* out, int*) {
  cuda::atomic<int, cuda::thread_scope_thread> a(5);
  out[0] = a.exchange(12);   // 5
  out[1] = a.fetch_and(10);  // 12, and leaves 8
  out[2] = a.fetch_or(3);    // 8, and leaves 11
  out[3] = a.fetch_xor(1);   // 11, and leaves 10
  out[4] = a.fetch_max(20);  // 10
  out[5] = a.fetch_min(7);   // 20
  out[6] = ++a;              // 8
  out[7] = a--;              // 8
  out[8] = a += 3;           // 10
  int expected = 4;
  out[9] = a.compare_exchange_strong(expected, 1);  // 0, and finds 10
  out[10] = expected;
  out[11] = a.compare_exchange_strong(expected, 1) ? static_cast<int>(a) : -1;
}
int operations_expected(int i) {
  constexpr int kExpected[] = {5, 12, 8, 11, 10, 20, 8, 8, 10, 0, 10, 1};
  return kExpected[i];
}

// The first warp fetches tiles of 64 numbers, two at a time on their way; two other warps add up
// the column that each of their threads has.
template <class Role>
__device__ void add_up_columns(int* out, int* scratch, Role role) {
  __shared__ int buffer[2][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const int thread = static_cast<int>(threadIdx.x);
  const bool produces = thread < 32;
  for (int i = thread; i < kTiles * kTile; i += static_cast<int>(blockDim.x)) scratch[i] = i;
  const cg::thread_block block = cg::this_thread_block();
  block.sync();
  auto pipe = cuda::make_pipeline(block, &state, role);
  int sum = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    int* const stage = buffer[tile % 2];
    if (produces) {
      pipe.producer_acquire();
      for (int i = thread; i < kTile; i += 32)
        cuda::memcpy_async(stage + i, scratch + tile * kTile + i, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += stage[thread - 32];
      pipe.consumer_release();
    }
  }
  if (pipe.quit()) atomicAdd(out + kTile, 1);
  if (!produces) out[thread - 32] = sum;
}
__global__ void pipeline_of_roles(int* out, int* scratch) {
  add_up_columns(out, scratch,
                 threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
}
__global__ void pipeline_of_counted_producers(int* out, int* scratch) {
  add_up_columns(out, scratch, std::size_t{32});
}
// column + (64 + column) + (128 + column) + ...
// Beside the columns: one thread was the last to quit.
int columns_expected(int column) {
  if (column == kTile) return kUnwritten + 1;
  return kTiles * column + kTile * kTiles * (kTiles - 1) / 2;
}

// Tiles of two warps of 256 threads: sums and votes of their own, and a value of one of them.
__global__ void tiles_of_two_warps(int* out, int*) {
  __shared__ cg::block_tile_memory<256> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const int thread = static_cast<int>(threadIdx.x);
  const int sum = cg::reduce(tile, thread, cg::plus<int>());
  const int largest = cg::reduce(tile, thread % 50, cg::greater<int>());
  const int any = tile.any(thread == 100);
  const int all = tile.all(thread >= 64);
  const int of_third = tile.shfl(thread, 3);
  out[thread] = sum + 100000 * (largest + any + 2 * all) +
                static_cast<int>(tile.meta_group_rank()) * 10000000 + (of_third % 64 != 3);
}
// 64 x 64 t + 2016 of tile t; 49, but that tile 1 alone has the thread 100, and all but 0 are from
// 64 on.
int tiles_of_two_warps_expected(int thread) {
  const int tile = thread / 64;
  return 4096 * tile + 2016 + 100000 * (49 + (tile == 1) + 2 * (tile != 0)) + 10000000 * tile;
}

// Tiles that meet as often as their number says, before the block does.
__global__ void tiles_that_meet_more_or_less(int* out, int*) {
  __shared__ cg::block_tile_memory<512> memory;
  __shared__ int next[512];
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<128>(block);
  const unsigned rank = tile.thread_rank();
  int* const mine = next + 128 * tile.meta_group_rank();
  mine[rank] = static_cast<int>(rank);
  for (unsigned round = 0; round <= tile.meta_group_rank(); ++round) {
    tile.sync();
    const int value = mine[(rank + 1) % 128];
    tile.sync();
    mine[rank] = value;
  }
  block.sync();
  out[threadIdx.x] = next[threadIdx.x];
}

int main() {
  run_case("message_between_blocks", message_between_blocks, 4, 64, 192,
           [](int i) { return 3 * (i % 64); });
  run_case("last_block", last_block, 4, 64, 1, [](int) { return 32640; });
  run_case("lock_by_exchange", lock_by_exchange, 4, 256, 1, [](int) { return 32; });
  run_case("operations", operations, 1, 1, 12, operations_expected);
  run_case("pipeline_of_roles", pipeline_of_roles, 1, 96, kTile + 1, columns_expected);
  run_case("pipeline_of_counted_producers", pipeline_of_counted_producers, 1, 96, kTile + 1,
           columns_expected);
  run_case("tiles_of_two_warps", tiles_of_two_warps, 1, 256, 256, tiles_of_two_warps_expected);
  run_case("tiles_that_meet_more_or_less", tiles_that_meet_more_or_less, 1, 512, 512,
           [](int i) { return (i % 128 + i / 128 + 1) % 128; });
  return result();
}
