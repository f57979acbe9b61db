// cuda::barrier: threads that arrive and threads that wait need not be the same.
#include <cooperative_groups.h>
#include <cuda/barrier>

#include <utility>

#include "case.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;

// Two warps produce, two consume; `ready` says that a buffer may be filled, `filled` that it is.
// Thread t of the producers puts 100 round + t into a buffer, its consumer adds it up.
constexpr int kPairs = 64;
constexpr int kRounds = 6;
__device__ void produce(barrier* ready, barrier* filled, int* buffer) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int round = 0; round < kRounds; ++round) {
    ready[round % 2].arrive_and_wait();
    buffer[round % 2 * kPairs + thread] = 100 * round + thread;
    barrier::arrival_token token = filled[round % 2].arrive();
    (void)token;
  }
}
__device__ int consume(barrier* ready, barrier* filled, const int* buffer) {
  const int thread = static_cast<int>(threadIdx.x) - kPairs;
  barrier::arrival_token first = ready[0].arrive();
  barrier::arrival_token second = ready[1].arrive();
  (void)first;
  (void)second;
  int sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    filled[round % 2].arrive_and_wait();
    sum += buffer[round % 2 * kPairs + (kPairs - 1 - thread)];
    barrier::arrival_token token = ready[round % 2].arrive();
    (void)token;
  }
  return sum;
}
__global__ void producer_consumer(int* out, int*) {
  __shared__ barrier bars[4];
  __shared__ int buffer[2 * kPairs];
  if (threadIdx.x < 4) init(bars + threadIdx.x, 2 * kPairs);
  __syncthreads();
  if (threadIdx.x < kPairs) {
    produce(bars, bars + 2, buffer);
  } else {
    out[threadIdx.x - kPairs] = consume(bars, bars + 2, buffer);
  }
}
// Consumer c reads what producer 63 - c wrote: 100 (0 + ... + 5) + 6 (63 - c).
int producer_consumer_expected(int thread) { return 1500 + 6 * (63 - thread); }

// One warp of four produces, and the barriers expect its 32 arrivals and the other 96.
__global__ void one_warp_produces(int* out, int*) {
  __shared__ barrier ready;
  __shared__ barrier filled;
  __shared__ int value[32];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    init(&ready, 128);
    init(&filled, 128);
  }
  __syncthreads();
  int sum = 0;
  for (int round = 1; round <= 4; ++round) {
    if (thread < 32) {
      ready.arrive_and_wait();
      value[thread] = round * thread;
      barrier::arrival_token token = filled.arrive();
      filled.wait(std::move(token));
    } else {
      barrier::arrival_token token = ready.arrive();
      ready.wait(std::move(token));
      filled.arrive_and_wait();
      sum += value[thread % 32];
    }
  }
  out[thread] = sum;
}
// lane (1 + 2 + 3 + 4)
int one_warp_produces_expected(int thread) { return thread < 32 ? 0 : 10 * (thread % 32); }

// All threads, arriving and waiting at once: as __syncthreads().
__global__ void arrive_and_wait_of_all(int* out, int*) {
  __shared__ barrier bar;
  __shared__ int slot[96];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) init(&bar, blockDim.x);
  __syncthreads();
  slot[thread] = thread;
  for (int round = 0; round < 5; ++round) {
    bar.arrive_and_wait();
    const int next = slot[(thread + 7) % 96];
    bar.arrive_and_wait();
    slot[thread] = next;
  }
  out[thread] = slot[thread];
}

// Between arriving and waiting, a thread does work that needs no other: it sums its own numbers.
__global__ void work_between(int* out, int*) {
  __shared__ barrier bar;
  __shared__ int slot[64];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) init(&bar, 64);
  __syncthreads();
  slot[thread] = thread * thread;
  barrier::arrival_token token = bar.arrive();
  int own = 0;
  for (int i = 0; i < thread; ++i) own += i;
  bar.wait(std::move(token));
  out[thread] = own + slot[63 - thread];
}
int work_between_expected(int thread) {
  return thread * (thread - 1) / 2 + (63 - thread) * (63 - thread);
}

// Threads leave for good: thread t takes part in t % 4 + 1 phases, and the later ones expect fewer.
// In each phase those that are left count themselves.
__global__ void arrive_and_drop(int* out, int* scratch) {
  __shared__ barrier bar;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) init(&bar, 64);
  __syncthreads();
  int seen = 0;
  for (int phase = 0; phase < 4; ++phase) {
    atomicAdd(scratch + phase, 1);
    if (phase == thread % 4) {
      bar.arrive_and_drop();
      break;
    }
    bar.arrive_and_wait();
    seen += atomicAdd(scratch + phase, 0);
  }
  out[thread] = seen;
}
// Phases see 64, 48, 32, 16 threads; thread t waits for the end of t % 4 of them.
int arrive_and_drop_expected(int thread) {
  int seen = 0;
  for (int phase = 0; phase < thread % 4; ++phase) seen += 64 - 16 * phase;
  return seen;
}

// A barrier of one warp's 32 threads, beside one of 8: neither is the block's business.
__global__ void barriers_of_parts(int* out, int*) {
  __shared__ barrier of_warp;
  __shared__ barrier of_eight;
  __shared__ int slot[64];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    init(&of_warp, 32);
    init(&of_eight, 8);
  }
  slot[thread] = thread;
  __syncthreads();
  int value = thread;
  if (thread < 32) {
    for (int round = 0; round < 3; ++round) {
      of_warp.arrive_and_wait();
      value = slot[(thread + 1) % 32];
      of_warp.arrive_and_wait();
      slot[thread] = value;
    }
  } else if (thread >= 56) {
    of_eight.arrive_and_wait();
    value = slot[56 + (thread + 1) % 8];
  }
  __syncthreads();
  out[thread] = value;
}
int barriers_of_parts_expected(int thread) {
  if (thread < 32) return (thread + 3) % 32;
  return thread >= 56 ? 56 + (thread + 1) % 8 : thread;
}

// One thread arrives for all of its warp: arrive(32).
__global__ void arrive_for_others(int* out, int*) {
  __shared__ barrier bar;
  __shared__ int word;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    init(&bar, 64);
    word = 0;
  }
  __syncthreads();
  if (thread < 32) {
    bar.arrive_and_wait();
    out[thread] = word;
  } else if (thread == 32) {
    word = 5;
    barrier::arrival_token token = bar.arrive(32);
    (void)token;
  }
}

// The threads tell phases apart by their parity alone: a phase waits for the one before.
__global__ void phases_by_parity(int* out, int*) {
  __shared__ barrier bar;
  __shared__ int slot[64];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) init(&bar, 64);
  __syncthreads();
  bar.wait_parity(true);  // as if there had been a phase before the first one
  int value = thread;
  for (int phase = 0; phase < 6; ++phase) {
    slot[thread] = value + 1;
    (void)bar.arrive();
    bar.wait_parity(phase % 2 == 1);
    value = slot[(thread + 1) % 64];
    __syncthreads();
  }
  out[thread] = value;
}
// Six steps to the next thread's number, and one more each time.
int phases_by_parity_expected(int thread) { return (thread + 6) % 64 + 6; }

// The block's own barrier in two halves, by cooperative groups.
__global__ void barrier_of_group(int* out, int*) {
  __shared__ int slot[96];
  const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  const int thread = static_cast<int>(threadIdx.x);
  slot[thread] = 3 * thread;
  auto token = block.barrier_arrive();
  const int own = thread * thread;
  block.barrier_wait(std::move(token));
  out[thread] = own + slot[95 - thread];
}

int main() {
  run_case("producer_consumer", producer_consumer, 1, 2 * kPairs, kPairs,
           producer_consumer_expected);
  run_case("one_warp_produces", one_warp_produces, 1, 128, 128, one_warp_produces_expected);
  run_case("arrive_and_wait_of_all", arrive_and_wait_of_all, 1, 96, 96,
           [](int thread) { return (thread + 35) % 96; });
  run_case("work_between", work_between, 1, 64, 64, work_between_expected);
  run_case("arrive_and_drop", arrive_and_drop, 1, 64, 64, arrive_and_drop_expected);
  run_case("barriers_of_parts", barriers_of_parts, 1, 64, 64, barriers_of_parts_expected);
  run_case("arrive_for_others", arrive_for_others, 1, 64, 32, [](int) { return 5; });
  run_case("phases_by_parity", phases_by_parity, 1, 64, 64, phases_by_parity_expected);
  run_case("barrier_of_group", barrier_of_group, 1, 96, 96,
           [](int thread) { return thread * thread + 3 * (95 - thread); });
  return result();
}
