// Programs with one race each, and right ones that look like them: `races CASE`. The lines that
// race in a case end in a comment that names it; races_test.py knows what is to be found there.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <functional>
#include <map>
#include <string>

namespace {

namespace cg = cooperative_groups;

constexpr int kThreads = 64;
constexpr int kBlocks = 12;
constexpr int kElements = kBlocks * kThreads;

__device__ inline int thread() { return static_cast<int>(threadIdx.x); }
__device__ inline int block() { return static_cast<int>(blockIdx.x); }
__device__ inline int index() { return block() * kThreads + thread(); }

// --- between threads of a block ------------------------------------------------------------------

__global__ void no_barrier(int* y) {
  __shared__ int tile[kThreads];
  tile[thread()] = thread();                   // no_barrier
  y[index()] = tile[kThreads - 1 - thread()];  // no_barrier
}
__global__ void no_second_barrier(int* y) {
  __shared__ int tile[kThreads];
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    tile[thread()] = round;  // no_second_barrier
    __syncthreads();
    sum += tile[thread() ^ 32];  // no_second_barrier
  }
  y[index()] = sum;
}
// A thread that is woken late still reads what another has already overwritten. It knows nothing of
// that one's arrival in the barrier's next phase.
__global__ void overwritten_in_next_phase(int* y) {
  __shared__ int tile[kThreads];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (thread() == 0) init(&barrier, kThreads);
  __syncthreads();
  tile[thread()] = thread();
  barrier.arrive_and_wait();
  y[index()] = tile[kThreads - 1 - thread()];  // overwritten_in_next_phase
  tile[thread()] = -1;                         // overwritten_in_next_phase
  barrier.arrive_and_wait();
}
__global__ void tree_without_barriers(int* y) {
  __shared__ int partial[kThreads];
  partial[thread()] = 1;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2)
    if (thread() < half) partial[thread()] += partial[thread() + half];  // tree_without_barriers
  __syncthreads();
  if (thread() == 0) y[block()] = partial[0];
}
// Lanes of a warp race, and so do warps.
__global__ void tree_of_two_warps(int* y) {
  __shared__ int partial[2 * kThreads];
  partial[thread()] = partial[kThreads + thread()] = 1;
  __syncthreads();
  for (int half = kThreads; half > 0; half /= 2)
    if (thread() < half) partial[thread()] += partial[thread() + half];  // tree_of_two_warps
  __syncthreads();
  if (thread() == 0) y[block()] = partial[0];
}
__global__ void reset_early(int* y) {
  __shared__ int words[kThreads];
  words[thread()] = 1;
  __syncthreads();
  y[index()] = words[0];            // reset_early
  if (thread() == 5) words[0] = 2;  // reset_early
}
__global__ void one_buffer_for_two(int* y) {
  __shared__ int buffer[2];
  if (thread() == 0) buffer[0] = 1;
  __syncthreads();
  int sum = buffer[0];                // one_buffer_for_two
  if (thread() == 40) buffer[0] = 2;  // one_buffer_for_two
  __syncthreads();
  y[index()] = sum + buffer[0];
}
__global__ void exits_after_write(int* y) {
  __shared__ int word;
  if (thread() == 63) {
    word = 1;  // exits_after_write
    return;
  }
  if (thread() < 32) y[index()] = word;  // exits_after_write
}
__global__ void overlapping_bytes(char* y) {
  __shared__ alignas(4) char bytes[kThreads + 4];
  bytes[thread()] = 1;                                                         // overlapping_bytes
  if (thread() % 4 == 0) *reinterpret_cast<short*>(bytes + thread() + 2) = 0;  // overlapping_bytes
  __syncthreads();
  y[index()] = bytes[thread()];
}
__global__ void vector_and_scalar(float* y) {
  __shared__ float4 packs[kThreads];
  packs[thread()] = make_float4(1, 2, 3, 4);  // vector_and_scalar
  const float* words = &packs[0].x;
  y[index()] = words[thread()];  // vector_and_scalar
}
__global__ void atomic_and_plain(int* y) {
  __shared__ int count;
  if (thread() == 0) count = 0;
  __syncthreads();
  if (thread() < 32) atomicAdd(&count, 1);  // atomic_and_plain
  if (thread() == 40) y[index()] = count;   // atomic_and_plain
}
__global__ void reset_late(int* y) {
  __shared__ int count;
  if (thread() == 0) count = 0;             // reset_late
  if (thread() < 32) atomicAdd(&count, 1);  // reset_late
  __syncthreads();
  y[index()] = count;
}
__global__ void different_values(int* y) {
  __shared__ int last;
  last = thread();  // different_values
  __syncthreads();
  y[index()] = last;
}
__global__ void nearly_same_values(int* y) {
  __shared__ int last;
  last = thread() == 17 ? 2 : 1;  // nearly_same_values
  __syncthreads();
  y[index()] = last;
}
// Two lines write the same, a third one does not.
__global__ void three_writes(int* y) {
  __shared__ int last;
  if (thread() == 3) last = blockDim.y;        // three_writes
  if (thread() == 35) last = blockDim.x - 63;  // three_writes
  if (thread() == 60) last = blockDim.x - 62;  // three_writes
  __syncthreads();
  y[index()] = last;
}
__global__ void same_value(int* y) {
  __shared__ int found;
  if (thread() % 3 == 0) found = 1;  // same_value
  __syncthreads();
  y[index()] = found;
}
__global__ void in_global_memory(int* y) {
  y[index()] = 1;                                                     // in_global_memory
  const int other = y[block() * kThreads + kThreads - 1 - thread()];  // in_global_memory
  __syncthreads();
  y[index()] = other;
}

// --- between lanes of a warp ---------------------------------------------------------------------

__global__ void no_syncwarp(int* y) {
  __shared__ int lanes[kThreads];
  lanes[thread()] = thread();        // no_syncwarp
  y[index()] = lanes[thread() ^ 1];  // no_syncwarp
}
__global__ void one_lane_writes(int* y) {
  __shared__ int word[2];
  if (thread() % 32 == 0) word[thread() / 32] = 1;  // one_lane_writes
  y[index()] = word[thread() / 32];                 // one_lane_writes
}
__global__ void shuffle_is_no_barrier(int* y) {
  __shared__ int lanes[kThreads];
  lanes[thread()] = thread();  // shuffle_is_no_barrier
  const int sum = __shfl_xor_sync(~0u, thread(), 1) + __any_sync(~0u, thread() == 3);
  y[index()] = lanes[thread() ^ 1] + sum;  // shuffle_is_no_barrier
}
__global__ void volatile_is_no_barrier(int* y) {
  __shared__ volatile int lanes[kThreads];
  lanes[thread()] = thread();        // volatile_is_no_barrier
  y[index()] = lanes[thread() ^ 1];  // volatile_is_no_barrier
}
__global__ void syncwarp_of_half(int* y) {
  __shared__ int lanes[kThreads];
  lanes[thread()] = thread();  // syncwarp_of_half
  __syncwarp(thread() % 32 < 16 ? 0x0000ffffu : 0xffff0000u);
  y[index()] = lanes[thread() ^ 8] + lanes[thread() ^ 16];  // syncwarp_of_half
}
// Lane 3 knows of lanes 0 and 1 what they did, and of lane 2 nothing.
__global__ void third_reader(int* y) {
  __shared__ int word;
  if (thread() == 40) word = 1;
  __syncthreads();
  if (thread() < 3) y[index()] = word;  // third_reader
  if (thread() == 0 || thread() == 1 || thread() == 3) __syncwarp(0b1011);
  if (thread() == 3) word = 2;  // third_reader
}
__global__ void tiles_are_apart(int* y) {
  __shared__ int lanes[kThreads];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  lanes[thread()] = thread();  // tiles_are_apart
  tile.sync();
  y[index()] = lanes[thread() ^ 4] + lanes[thread() ^ 8];  // tiles_are_apart
}
__global__ void block_needs_more_than_warps(int* y) {
  __shared__ int lanes[kThreads];
  lanes[thread()] = thread();  // block_needs_more_than_warps
  __syncwarp();
  y[index()] = lanes[thread() ^ 32];  // block_needs_more_than_warps
}

// --- asynchronous copies -------------------------------------------------------------------------

__device__ inline void copy(int* to, const int* from) {
  __pipeline_memcpy_async(to, from, sizeof(int));
  __pipeline_commit();
}
__global__ void reads_before_wait(const int* x, int* y) {
  __shared__ int tile[kThreads];
  tile[thread()] = 0;
  __pipeline_memcpy_async(&tile[thread()], &x[thread()], sizeof(int));  // reads_before_wait
  __pipeline_commit();
  y[index()] = tile[thread()];  // reads_before_wait
  __pipeline_wait_prior(0);
}
__global__ void barrier_but_no_wait(const int* x, int* y) {
  __shared__ int tile[kThreads];
  tile[thread()] = 0;
  __pipeline_memcpy_async(&tile[thread()], &x[thread()], sizeof(int));  // barrier_but_no_wait
  __pipeline_commit();
  __syncthreads();
  const int value = tile[kThreads - 1 - thread()];  // barrier_but_no_wait
  __syncthreads();
  __pipeline_wait_prior(0);
  y[index()] = value;
}
__global__ void wait_but_no_barrier(const int* x, int* y) {
  __shared__ int tile[kThreads];
  __pipeline_memcpy_async(&tile[thread()], &x[thread()], sizeof(int));  // wait_but_no_barrier
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[index()] = tile[kThreads - 1 - thread()];  // wait_but_no_barrier
}
__global__ void copies_over_what_is_read(const int* x, int* y) {
  __shared__ int tile[kThreads];
  tile[thread()] = 0;
  __syncthreads();
  const int value = tile[kThreads - 1 - thread()];                      // copies_over_what_is_read
  __pipeline_memcpy_async(&tile[thread()], &x[thread()], sizeof(int));  // copies_over_what_is_read
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[index()] = value + tile[thread()];
}
// The batch that it waits for is not the one that it reads.
__global__ void waits_for_too_few(const int* x, int* y) {
  __shared__ int tile[2][kThreads];
  tile[0][thread()] = tile[1][thread()] = 0;
  copy(&tile[0][thread()], &x[thread()]);
  __pipeline_memcpy_async(&tile[1][thread()], &x[thread()], sizeof(int));  // waits_for_too_few
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  y[index()] = tile[0][kThreads - 1 - thread()] + tile[1][thread()];  // waits_for_too_few
  __pipeline_wait_prior(0);
}
__global__ void copied_twice(const int* x, int* y) {
  __shared__ int word;
  __pipeline_memcpy_async(&word, &x[thread()], sizeof(int));  // copied_twice
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[index()] = word;
}

// --- between blocks ------------------------------------------------------------------------------

__global__ void plain_counter(int* count) {
  if (thread() == 0) *count += 1;  // plain_counter
}
__global__ void plain_sum(int* sum) {
  *sum += thread();  // plain_sum
}
__global__ void blocks_write_differently(int* last) {
  if (thread() == 0) *last = block();  // blocks_write_differently
}
__global__ void blocks_write_the_same(int* found) {
  if (thread() == 0) *found = 1;  // blocks_write_the_same
}
__global__ void reads_next_block(int* y) {
  const int next = index() + 1 < kElements ? y[index() + 1] : 0;  // reads_next_block
  __syncthreads();
  y[index()] = next;  // reads_next_block
}
__global__ void atomic_and_plain_read(int* count, int* y) {
  if (thread() == 0) atomicAdd(count, 1);  // atomic_and_plain_read
  __syncthreads();
  y[index()] = *count;  // atomic_and_plain_read
}
__device__ int device_word;
__global__ void in_device_variable(int* y) {
  if (thread() == 0 && block() < 2) device_word = block();  // in_device_variable
  y[index()] = 1;
}

// The block that comes last adds up what all have stored.
enum class Fence { none, before, after, of_block, of_one, by_others };
template <Fence kFence>
__device__ bool is_last(int* count) {
  if constexpr (kFence == Fence::before) __threadfence();
  if constexpr (kFence == Fence::of_block) __threadfence_block();
  const bool last = atomicAdd(count, 1) == kBlocks - 1;
  // Who reads needs one as well as who writes.
  if constexpr (kFence != Fence::none) __threadfence();
  return last;
}
__device__ void add_up(const int* sums, int* total) {
  int sum = 0;
  for (int i = 0; i < kBlocks; ++i)
    sum += sums[i];  // last_block_no_fence last_block_late_fence last_block_small_fence
  *total = sum;
}
template <Fence kFence>
__global__ void last_block(int* count, int* sums, int* total) {
  if (thread() != 0) return;
  sums[block()] = block();  // last_block_no_fence last_block_late_fence last_block_small_fence
  if (is_last<kFence>(count)) add_up(sums, total);
}
// Here another thread reads.
__global__ void last_block_met(int* count, int* sums, int* total) {
  __shared__ bool last;
  if (thread() == 0) {
    sums[block()] = block();
    last = is_last<Fence::before>(count);
  }
  __syncthreads();
  if (last && thread() == 63) add_up(sums, total);
}
// All threads store, and one of them counts.
template <Fence kFence>
__global__ void all_store(int* count, int* y, int* total) {
  __shared__ bool last;
  y[index()] = 1;  // fence_of_one
  if (kFence == Fence::by_others || thread() == 0) __threadfence();
  __syncthreads();
  if (thread() == 0) last = is_last<kFence>(count);
  __syncthreads();
  if (!last) return;
  int sum = 0;
  for (int i = thread(); i < kElements; i += kThreads) sum += y[i];  // fence_of_one
  atomicAdd(total, sum);
}

// Each block waits for the one before it, and adds its own to what that has stored.
enum class Flag { is_volatile, atomic, unfenced, is_plain };
template <Flag kFlag>
__global__ void look_back(int* flags, int* sums) {
  if (thread() != 0) return;
  int before = 0;
  if (block() > 0) {
    if constexpr (kFlag == Flag::atomic) {
      while (atomicAdd(&flags[block() - 1], 0) == 0) {
      }
    } else {
      const volatile int* const flag = &flags[block() - 1];
      while (*flag == 0) {  // plain_flag flag_without_fence
      }
    }
    __threadfence();
    before = sums[block() - 1];  // flag_without_fence plain_flag
  }
  sums[block()] = before + 1;  // flag_without_fence plain_flag
  if constexpr (kFlag != Flag::unfenced) __threadfence();
  if constexpr (kFlag == Flag::atomic) {
    atomicExch(&flags[block()], 1);
  } else if constexpr (kFlag == Flag::is_plain) {
    flags[block()] = 1;  // plain_flag
  } else {
    *const_cast<volatile int*>(&flags[block()]) = 1;  // flag_without_fence
  }
}
__global__ void no_grid_sync(int* y) {
  y[index()] = 1;  // no_grid_sync
  __syncthreads();
  const int i = (index() + kThreads) % (2 * kThreads);
  y[i + 2 * kThreads] = y[i];  // no_grid_sync
}
__global__ void with_grid_sync(int* y) {
  for (int round = 0; round < 3; ++round) {
    y[index()] = round;
    cg::this_grid().sync();
    if (y[(index() + kThreads) % (2 * kThreads)] != round) __trap();
    cg::this_grid().sync();
  }
}

// --- right ---------------------------------------------------------------------------------------

__global__ void tree(int* total) {
  __shared__ int partial[kThreads];
  partial[thread()] = 1;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread() < half) partial[thread()] += partial[thread() + half];
    __syncthreads();
  }
  if (thread() == 0) atomicAdd(total, partial[0]);
}
__global__ void warp_tree(int* y) {
  __shared__ int partial[kThreads];
  const int lane = thread() % 32;
  partial[thread()] = 1;
  for (int half = 16; half > 0; half /= 2) {
    __syncwarp();
    int sum = partial[thread()];
    if (lane < half) sum += partial[thread() + half];
    __syncwarp();
    partial[thread()] = sum;
  }
  y[index()] = partial[thread()];
}
__global__ void shuffles(int* y) {
  int sum = thread();
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  y[index()] = sum;
}
__global__ void double_buffer(int* y) {
  __shared__ int tile[2][kThreads];
  int sum = 0;
  for (int round = 0; round < 6; ++round) {
    tile[round % 2][thread()] = round;
    __syncthreads();
    sum += tile[round % 2][kThreads - 1 - thread()];
  }
  y[index()] = sum;
}
__global__ void padded_transpose(const int* x, int* y) {
  __shared__ int tile[8][9];
  tile[thread() / 8][thread() % 8] = x[index()];
  __syncthreads();
  y[index()] = tile[thread() % 8][thread() / 8];
}
__global__ void histogram(const int* x, int* bins) {
  __shared__ int own[8];
  if (thread() < 8) own[thread()] = 0;
  __syncthreads();
  atomicAdd(&own[(x[index()] + thread()) % 8], 1);
  __syncthreads();
  if (thread() < 8) atomicAdd(&bins[thread()], own[thread()]);
}
__global__ void flag_before_barrier(int* y) {
  __shared__ bool wanted;
  if (thread() == 0) wanted = block() % 2 == 0;
  __syncthreads();
  if (wanted) y[index()] = 1;
}
__global__ void counting_barriers(int* y) {
  __shared__ int tile[kThreads];
  tile[thread()] = 1;
  int sum = __syncthreads_count(thread() < 5);
  sum += tile[thread() ^ 33];
  sum += __syncthreads_or(thread() == 3);
  tile[thread()] = 2;
  sum += __syncthreads_and(1);
  cg::this_thread_block().sync();
  y[index()] = sum + tile[thread() ^ 33];
}
__global__ void tiles(int* y) {
  __shared__ int lanes[kThreads];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    lanes[thread()] = round;
    tile.sync();
    for (int other = 1; other < 8; ++other) sum += lanes[thread() ^ other];
    cg::sync(tile);
  }
  y[index()] = sum;
}
__global__ void coalesced(int* y) {
  __shared__ int lanes[kThreads];
  if (thread() % 2 == 1) return;
  const auto group = cg::coalesced_threads();
  lanes[thread()] = 1;
  group.sync();
  y[index()] = lanes[thread() ^ 2];
}
__global__ void masked_syncwarp(int* y) {
  __shared__ int lanes[kThreads];
  const bool low = thread() % 32 < 16;
  const unsigned mask = low ? 0x0000ffffu : 0xffff0000u;
  int sum = 0;
  for (int round = 0; round < (low ? 3 : 2); ++round) {
    lanes[thread()] = round;
    __syncwarp(mask);
    sum += lanes[thread() ^ 8] + lanes[thread() ^ 1];
    __syncwarp(mask);
  }
  __syncthreads();
  y[index()] = sum + lanes[thread() ^ 16];
}
__global__ void neighbouring_bytes(char* y) {
  __shared__ char bytes[kThreads + 1];
  bytes[thread() + 1] = 1;
  bytes[thread() + 1] += 1;
  y[index()] = bytes[thread() + 1];
}
__global__ void vectors(float4* y) {
  __shared__ float4 packs[kThreads];
  packs[thread()] = make_float4(1, 2, 3, 4);
  __syncthreads();
  y[thread()] = packs[thread() ^ 5];
}
__global__ void exits_early(int* y) {
  __shared__ int tile[kThreads];
  tile[thread()] = 1;
  if (thread() >= 40) return;
  __syncthreads();
  y[index()] = tile[thread() + 24];
}
__global__ void scratch_in_global_memory(int* y) {
  for (int round = 0; round < 3; ++round) {
    y[index()] = round;
    __syncthreads();
    if (y[block() * kThreads + kThreads - 1 - thread()] != round) __trap();
    __syncthreads();
  }
}
__global__ void in_place(int* y) {
  y[index()] += 1;
  y[index()] *= 2;
}
__global__ void pipelined(const int* x, int* y) {
  constexpr int kStages = 3;
  __shared__ alignas(16) int tile[kStages][kThreads];
  const auto copy_stage = [&](int stage) {
    if (thread() < kThreads / 4)
      __pipeline_memcpy_async(&tile[stage][4 * thread()], &x[4 * thread()], 16);
    __pipeline_commit();
  };
  for (int stage = 0; stage < kStages - 1; ++stage) copy_stage(stage);
  int sum = 0;
  for (int round = 0; round < 7; ++round) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    copy_stage((round + kStages - 1) % kStages);
    sum += tile[round % kStages][kThreads - 1 - thread()];
  }
  y[index()] = sum;
}
__global__ void pipeline_of_block(const int* x, int* y) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int tile[2][kThreads];
  const auto group = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(group, &state);
  int sum = 0;
  for (int used = 0, filled = 0; used < 6; ++used) {
    for (; filled < 6 && filled < used + 2; ++filled) {
      pipe.producer_acquire();
      cuda::memcpy_async(group, tile[filled % 2], x + filled, sizeof tile[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[used % 2][kThreads - 1 - thread()];
    pipe.consumer_release();
  }
  y[index()] = sum;
}
// 13 bytes: pieces of all sizes.
__global__ void odd_copy(const char* x, char* y) {
  __shared__ char bytes[16];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (thread() == 0) init(&barrier, kThreads);
  if (thread() < 3) bytes[13 + thread()] = 0;
  __syncthreads();
  cuda::memcpy_async(cg::this_thread_block(), bytes, x, 13, barrier);
  barrier.arrive_and_wait();
  if (thread() < 16) y[index()] = bytes[15 - thread()];
}
__global__ void atomics_everywhere(int* count) {
  atomicAdd(count, 1);
  atomicMax(count + 1, thread());
  if (atomicCAS(count + 2, 0, 1) == 0) atomicExch(count + 3, 5);
}
// Nothing is 1: each swap only reads.
__global__ void failed_swaps(int* x, int* y) {
  __shared__ int zero;
  if (thread() == 0) zero = 0;
  __syncthreads();
  y[index()] = x[0] + zero;
  atomicCAS(x + thread() % 4, 1, 2);
  atomicCAS(&zero, 1, 2);
  y[index()] += x[thread() % 4] + zero;
}
// The first swap succeeds.
__global__ void swap_and_plain_read(int* x, int* y) {
  if (block() == 0)
    atomicCAS(x, 0, 1);  // swap_and_plain_read
  else
    y[index()] = x[0];  // swap_and_plain_read
}
__global__ void plain_store_and_failed_swap(int* x, int* y) {
  if (block() == 1)
    y[index()] = atomicCAS(x, 1, 2);  // plain_store_and_failed_swap
  else if (index() == 0)
    x[0] = 3;  // plain_store_and_failed_swap
}
__global__ void critical_section(int* lock, int* guarded) {
  if (thread() != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  guarded[0] += 1;
  guarded[1] = block();
  __threadfence();
  atomicExch(lock, 0);
}
// The last warp of the block adds up what all have stored.
__global__ void last_warp(int* y) {
  __shared__ int sums[2];
  __shared__ int count;
  if (thread() == 0) count = 0;
  __syncthreads();
  if (thread() % 32 != 0) return;
  sums[thread() / 32] = thread();
  __threadfence_block();
  if (atomicAdd(&count, 1) == 0) return;
  __threadfence_block();
  y[block()] = sums[0] + sums[1];
}
// As the programming guide has it: what is read first is only a guess.
__global__ void guide_maximum(float* y) {
  int* const bits = reinterpret_cast<int*>(y);
  int old = *bits;  // guide_maximum
  int assumed;
  do {
    assumed = old;
    const float larger = fmaxf(__int_as_float(assumed), index());
    old = atomicCAS(bits, assumed, __float_as_int(larger));  // guide_maximum
  } while (old != assumed);
}
__global__ void volatile_words(volatile int* words, int* y) {
  words[index()] = 1;
  y[index()] = words[index()];
}

struct Memory {
  Memory() {
    for (int** p : {&x, &y}) {
      cudaMalloc(p, 4 * kElements * sizeof(int));
      cudaMemset(*p, 0, 4 * kElements * sizeof(int));
    }
  }
  ~Memory() {
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
  }
  int* x;  // zeros
  int* y;
};

template <class... Params>
auto on_y(void (*kernel)(Params*...)) {
  return [kernel](Memory& m) { kernel<<<kBlocks, kThreads>>>(reinterpret_cast<Params*>(m.y)...); };
}
auto from_x(void (*kernel)(const int*, int*)) {
  return [kernel](Memory& m) { kernel<<<kBlocks, kThreads>>>(m.x, m.y); };
}
auto counted(void (*kernel)(int*, int*, int*)) {
  return [kernel](Memory& m) { kernel<<<kBlocks, kThreads>>>(m.x, m.y, m.x + 1); };
}
auto flagged(void (*kernel)(int*, int*)) {
  return [kernel](Memory& m) { kernel<<<kBlocks, kThreads>>>(m.x, m.y); };
}
auto cooperative(void (*kernel)(int*)) {
  return [kernel](Memory& m) {
    void* arguments[] = {&m.y};
    cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(2), dim3(kThreads),
                                arguments, 0, nullptr);
  };
}

#define CASE(wrap, kernel) \
  { #kernel, wrap(kernel) }
const std::map<std::string, std::function<void(Memory&)>> kCases = {
    CASE(on_y, no_barrier),
    CASE(on_y, no_second_barrier),
    CASE(on_y, overwritten_in_next_phase),
    CASE(on_y, tree_without_barriers),
    CASE(on_y, tree_of_two_warps),
    CASE(on_y, reset_early),
    CASE(on_y, one_buffer_for_two),
    CASE(on_y, exits_after_write),
    CASE(on_y, overlapping_bytes),
    CASE(on_y, vector_and_scalar),
    CASE(on_y, atomic_and_plain),
    CASE(on_y, reset_late),
    CASE(on_y, different_values),
    CASE(on_y, nearly_same_values),
    CASE(on_y, three_writes),
    CASE(on_y, same_value),
    CASE(on_y, in_global_memory),
    CASE(on_y, no_syncwarp),
    CASE(on_y, one_lane_writes),
    CASE(on_y, shuffle_is_no_barrier),
    CASE(on_y, volatile_is_no_barrier),
    CASE(on_y, syncwarp_of_half),
    CASE(on_y, third_reader),
    CASE(on_y, tiles_are_apart),
    CASE(on_y, block_needs_more_than_warps),
    CASE(from_x, reads_before_wait),
    CASE(from_x, barrier_but_no_wait),
    CASE(from_x, wait_but_no_barrier),
    CASE(from_x, copies_over_what_is_read),
    CASE(from_x, waits_for_too_few),
    CASE(from_x, copied_twice),
    CASE(on_y, plain_counter),
    CASE(on_y, plain_sum),
    CASE(on_y, blocks_write_differently),
    CASE(on_y, blocks_write_the_same),
    CASE(on_y, reads_next_block),
    CASE(flagged, atomic_and_plain_read),
    {"in_device_variable",
     [](Memory& m) {
       in_device_variable<<<kBlocks, kThreads>>>(m.y);
       int value;
       cudaMemcpyFromSymbol(&value, device_word, sizeof value);
     }},
    {"last_block_no_fence", counted(last_block<Fence::none>)},
    {"last_block_late_fence", counted(last_block<Fence::after>)},
    {"last_block_small_fence", counted(last_block<Fence::of_block>)},
    {"fence_of_one", counted(all_store<Fence::of_one>)},
    {"flag_without_fence", flagged(look_back<Flag::unfenced>)},
    {"plain_flag", flagged(look_back<Flag::is_plain>)},
    CASE(cooperative, no_grid_sync),
    CASE(on_y, guide_maximum),
    CASE(flagged, swap_and_plain_read),
    CASE(flagged, plain_store_and_failed_swap),

    CASE(on_y, tree),
    CASE(on_y, warp_tree),
    CASE(on_y, shuffles),
    CASE(on_y, double_buffer),
    CASE(from_x, padded_transpose),
    CASE(from_x, histogram),
    CASE(on_y, flag_before_barrier),
    CASE(on_y, counting_barriers),
    CASE(on_y, tiles),
    CASE(on_y, coalesced),
    CASE(on_y, masked_syncwarp),
    CASE(on_y, neighbouring_bytes),
    {"vectors", [](Memory& m) { vectors<<<1, kThreads>>>(reinterpret_cast<float4*>(m.y)); }},
    CASE(on_y, exits_early),
    CASE(on_y, scratch_in_global_memory),
    CASE(on_y, in_place),
    CASE(from_x, pipelined),
    CASE(from_x, pipeline_of_block),
    {"odd_copy",
     [](Memory& m) {
       odd_copy<<<kBlocks, kThreads>>>(reinterpret_cast<char*>(m.x), reinterpret_cast<char*>(m.y));
     }},
    CASE(on_y, atomics_everywhere),
    CASE(flagged, failed_swaps),
    CASE(flagged, critical_section),
    CASE(on_y, last_warp),
    {"volatile_words", [](Memory& m) { volatile_words<<<kBlocks, kThreads>>>(m.x, m.y); }},
    {"last_block", counted(last_block<Fence::before>)},
    CASE(counted, last_block_met),
    {"all_fence", counted(all_store<Fence::by_others>)},
    {"look_back_volatile", flagged(look_back<Flag::is_volatile>)},
    {"look_back_atomic", flagged(look_back<Flag::atomic>)},
    CASE(cooperative, with_grid_sync),
    {"one_launch_after_the_other",
     [](Memory& m) {
       in_place<<<kBlocks, kThreads>>>(m.y);
       reads_next_block<<<1, 1>>>(m.y);
       scratch_in_global_memory<<<kBlocks, kThreads>>>(m.y);
     }},
};
#undef CASE

}  // namespace

int main(int, char** arguments) {
  Memory memory;
  kCases.at(arguments[1])(memory);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
