// Locks: whoever holds one goes on in the end, in whatever order threads run.
#include "case.h"

__device__ void acquire(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}
__device__ void release(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}
// Changes the protected value bit by bit, so that an intruder would show.
__device__ void add_slowly(int* sum, int value) {
  volatile int* s = sum;
  const int old = *s;
  __threadfence();
  *s = old + value;
}

// Lane 0 of each warp takes the lock before its warp meets, and gives it back after: 8 warps add
// 32 each.
__global__ void lane_takes_lock_for_warp(int* out, int* scratch) {
  const unsigned lane = threadIdx.x % 32;
  if (lane == 0) acquire(scratch);
  __syncwarp();
  const int votes = __popc(__ballot_sync(kFull, 1));
  if (lane == 0) add_slowly(scratch + 1, votes);
  __syncwarp();
  if (lane == 0) release(scratch);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = *reinterpret_cast<volatile int*>(scratch + 1);
}

// Every thread takes the lock once, and adds its number: 0 + ... + 127.
__global__ void every_thread_once(int* out, int* scratch) {
  acquire(scratch);
  add_slowly(scratch + 1, static_cast<int>(threadIdx.x));
  release(scratch);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = *reinterpret_cast<volatile int*>(scratch + 1);
}

// The form that works without independent thread scheduling, too: 64 threads, 3 times each.
__global__ void taken_inside_the_loop(int* out, int* scratch) {
  for (int i = 0; i < 3; ++i) {
    for (bool done = false; !done;) {
      if (atomicCAS(scratch, 0, 1) == 0) {
        __threadfence();
        add_slowly(scratch + 1, 1);
        release(scratch);
        done = true;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = *reinterpret_cast<volatile int*>(scratch + 1);
}

// Tickets: threads are served in the order in which they came, and each is served once.
__global__ void tickets(int* out, int* scratch) {
  const int ticket = atomicAdd(scratch, 1);
  while (atomicAdd(scratch + 1, 0) != ticket) __nanosleep(50);
  add_slowly(scratch + 2, ticket);
  __threadfence();
  atomicAdd(scratch + 1, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = *reinterpret_cast<volatile int*>(scratch + 2);
}

// Across blocks, a thread of each: 4 blocks, each 10 times.
__global__ void across_blocks(int* out, int* scratch) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < 10; ++i) {
      acquire(scratch);
      add_slowly(scratch + 1, 1);
      release(scratch);
    }
    __threadfence();
    if (atomicAdd(scratch + 2, 1) == static_cast<int>(gridDim.x) - 1) {
      __threadfence();
      out[0] = *reinterpret_cast<volatile int*>(scratch + 1);
    }
  }
}

// Two locks, taken in one order by all: even threads under the first, all under the second.
__global__ void two_locks(int* out, int* scratch) {
  const bool even = threadIdx.x % 2 == 0;
  if (even) acquire(scratch);
  acquire(scratch + 1);
  add_slowly(scratch + 2, even ? 100 : 1);
  release(scratch + 1);
  if (even) release(scratch);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = *reinterpret_cast<volatile int*>(scratch + 2);
}

// A lock for each of 8 bins: threads of one bin exclude one another, and nobody else.
__global__ void lock_per_bin(int* out, int* scratch) {
  const int bin = static_cast<int>(threadIdx.x) * 5 % 8;
  acquire(scratch + bin);
  add_slowly(scratch + 8 + bin, bin + 1);
  release(scratch + bin);
  __syncthreads();
  if (threadIdx.x < 8)
    out[threadIdx.x] = *reinterpret_cast<volatile int*>(scratch + 8 + threadIdx.x);
}

// Without a lock: 16 bytes change at once (sm_90 and later). Each of 128 threads adds 1 to the one
// number and its own to the other: 128, and 0 + ... + 127.
struct alignas(16) Tally {
  long long count, sum;
};
__global__ void sixteen_bytes_at_once(int* out, int* scratch) {
  auto* const tally = reinterpret_cast<Tally*>(scratch);
  Tally seen = {}, expected;
  do {
    expected = seen;
    const Tally wanted = {expected.count + 1, expected.sum + threadIdx.x};
    seen = atomicCAS(tally, expected, wanted);
  } while (seen.count != expected.count || seen.sum != expected.sum);
  __syncthreads();
  if (threadIdx.x > 0) return;
  const Tally all = atomicExch(tally, Tally{7, 8});
  out[0] = static_cast<int>(all.count);
  out[1] = static_cast<int>(all.sum);
  // Half of it is as expected: nothing changes.
  out[2] = static_cast<int>(atomicCAS(tally, Tally{7, 9}, Tally{1, 2}).sum);
  out[3] = static_cast<int>(tally->count);
}

int main() {
  run_case("lane_takes_lock_for_warp", lane_takes_lock_for_warp, 1, 256, 1,
           [](int) { return 256; });
  run_case("every_thread_once", every_thread_once, 1, 128, 1, [](int) { return 8128; });
  run_case("taken_inside_the_loop", taken_inside_the_loop, 1, 64, 1, [](int) { return 192; });
  run_case("tickets", tickets, 1, 96, 1, [](int) { return 4560; });
  run_case("across_blocks", across_blocks, 4, 32, 1, [](int) { return 40; });
  run_case("two_locks", two_locks, 1, 64, 1, [](int) { return 3232; });
  // 16 of 128 threads in each bin.
  run_case("lock_per_bin", lock_per_bin, 1, 128, 8, [](int bin) { return 16 * (bin + 1); });
  run_case("sixteen_bytes_at_once", sixteen_bytes_at_once, 1, 128, 4, [](int i) {
    return (const int[]){128, 8128, 8, 7}[i];
  });
  return result();
}
