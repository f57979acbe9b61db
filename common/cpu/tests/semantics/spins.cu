// Threads that wait for what others write to memory. Each gets on in the end: lanes of a warp,
// warps of a block and blocks that fit on the device together all make progress.
#include "case.h"

__device__ int load(const int* p) { return *reinterpret_cast<const volatile int*>(p); }
__device__ void store(int* p, int value) { *reinterpret_cast<volatile int*>(p) = value; }

// --- between lanes, on a flag in shared memory, by atomic functions ---

// Lane 31 sets the flag that all others wait for.
__global__ void shared_last_lane(int* out, int*) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncwarp();
  if (threadIdx.x == 31) {
    atomicExch(&flag, 7);
  } else {
    while (atomicAdd(&flag, 0) == 0) {
    }
  }
  out[threadIdx.x] = atomicAdd(&flag, 0);
}

// The other way round.
__global__ void shared_first_lane(int* out, int*) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncwarp();
  if (threadIdx.x == 0) {
    atomicExch(&flag, 7);
  } else {
    while (atomicAdd(&flag, 0) == 0) __nanosleep(20);
  }
  out[threadIdx.x] = atomicAdd(&flag, 0);
}

// Each lane waits for the one above it: 31, 30, ... 0 add their numbers in that order, and so lane
// l sees 31 + 30 + ... + l.
__global__ void shared_chain_down(int* out, int*) {
  __shared__ int turn;
  __shared__ int sum;
  const int lane = static_cast<int>(threadIdx.x);
  if (lane == 0) {
    turn = 31;
    sum = 0;
  }
  __syncwarp();
  while (atomicAdd(&turn, 0) != lane) {
  }
  out[lane] = atomicAdd(&sum, lane) + lane;
  __threadfence_block();
  atomicSub(&turn, 1);
}

// And upwards, with __nanosleep: lane l sees 0 + ... + l.
__global__ void shared_chain_up(int* out, int*) {
  __shared__ int turn;
  __shared__ int sum;
  const int lane = static_cast<int>(threadIdx.x);
  if (lane == 0) turn = sum = 0;
  __syncwarp();
  while (atomicAdd(&turn, 0) != lane) __nanosleep(10);
  out[lane] = atomicAdd(&sum, lane) + lane;
  __threadfence_block();
  atomicAdd(&turn, 1);
}

// --- between warps ---

// Warp 0 waits for warp 3, which waits for warp 1, which waits for warp 2: each flag holds what the
// one before it held, plus its warp's number. 2, 3, 6, 6.
__global__ void warps_in_turn(int* out, int*) {
  __shared__ int flag[4];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (threadIdx.x < 4) flag[threadIdx.x] = 0;
  __syncthreads();
  const int before[4] = {3, 2, -1, 1};
  if (lane == 0) {
    int value = 0;
    if (before[warp] >= 0)
      while ((value = atomicAdd(&flag[before[warp]], 0)) == 0) {
      }
    atomicExch(&flag[warp], value + warp);
    out[warp] = value + warp;
  }
}

// All threads of the upper warp wait, lanes of the lower one have yet to pass a barrier of theirs.
__global__ void warp_waits_for_sync(int* out, int*) {
  __shared__ int count;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) count = 0;
  __syncthreads();
  if (thread >= 32) {
    while (atomicAdd(&count, 0) != 32) {
    }
  } else {
    for (int i = 0; i < 4; ++i) __syncwarp();
    atomicAdd(&count, 1);
  }
  out[thread] = thread;
}

// --- on flags in global memory ---

// volatile, in one warp.
__global__ void global_volatile_lanes(int* out, int* scratch) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane == 17) {
    store(scratch + 1, 42);
    __threadfence();
    store(scratch, 1);
  } else {
    while (load(scratch) == 0) {
    }
    __threadfence();
  }
  out[lane] = load(scratch + 1);
}

// The same, before anybody has come to a barrier, and with two things that change in the loop.
__global__ void global_volatile_counting(int* out, int* scratch) {
  const int thread = static_cast<int>(threadIdx.x);
  int tries = 0;
  if (thread == 95) {
    __threadfence();
    store(scratch, 1);
  } else {
    while (load(scratch) == 0) ++tries;
    __threadfence();
  }
  __syncthreads();
  out[thread] = tries >= 0 ? load(scratch) : -1;
}

// Ping and pong: two lanes answer each other, 20 times.
__global__ void ping_pong(int* out, int* scratch) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane < 2) {
    for (int i = 0; i < 20; ++i) {
      while (atomicAdd(scratch, 0) % 2 != lane) {
      }
      atomicAdd(scratch, 1);
    }
  }
  __syncwarp();
  if (lane == 0) out[0] = atomicAdd(scratch, 0);
}

// --- between blocks ---

// Each block waits for the next one, except the last: 4 blocks of 64 threads, which any device
// holds at once.
__global__ void blocks_backwards(int* out, int* scratch) {
  const int block = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) {
    if (block + 1 < static_cast<int>(gridDim.x))
      while (load(scratch + block + 1) == 0) {
      }
    __threadfence();
    store(scratch + block, 1);
    out[block] = block + 100;
  }
}

// And with __nanosleep.
__global__ void blocks_backwards_sleeping(int* out, int* scratch) {
  const int block = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) {
    if (block + 1 < static_cast<int>(gridDim.x))
      while (atomicAdd(scratch + block + 1, 0) == 0) __nanosleep(100);
    atomicExch(scratch + block, 1);
    out[block] = block + 200;
  }
}

// A barrier of the whole grid, made by hand, three times: each block adds what all have counted
// before: 4, 8, 12.
__global__ void grid_barrier_by_hand(int* out, int* scratch) {
  const int blocks = static_cast<int>(gridDim.x);
  int sum = 0;
  for (int round = 1; round <= 3; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(scratch, 1);
      while (atomicAdd(scratch, 0) < round * blocks) {
      }
      __threadfence();
    }
    __syncthreads();
    sum += round * blocks;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// All threads of block 0 wait for block 3, each for the thread of its number.
__global__ void thread_for_thread(int* out, int* scratch) {
  const int thread = static_cast<int>(threadIdx.x);
  if (blockIdx.x == 0) {
    int value;
    while ((value = atomicAdd(scratch + thread, 0)) == 0) {
    }
    out[thread] = value;
  } else if (blockIdx.x == 3) {
    atomicExch(scratch + thread, thread + 1);
  }
}

// Eight blocks wait until all have arrived, the threads of each together, with barriers: the count
// is 8 in the end.
__global__ void blocks_wait_with_barriers(int* out, int* scratch) {
  __shared__ int count;
  if (threadIdx.x == 0) atomicAdd(scratch, 1);
  do {
    __syncthreads();  // all have read the count
    if (threadIdx.x == 0) count = atomicAdd(scratch, 0);
    __syncthreads();
  } while (count < 8);
  out[blockIdx.x * blockDim.x + threadIdx.x] = count;
}

// The same for one warp per block, which votes.
__global__ void blocks_wait_with_votes(int* out, int* scratch) {
  if (threadIdx.x == 0) atomicAdd(scratch, 1);
  while (!__all_sync(~0u, load(scratch) == 8)) {
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = load(scratch);
}

// The value that the atomic function found is seen through a cast alone.
__global__ void thread_waits_for_a_later_one(int* out, int* scratch) {
  bool is_set = false;
  if (threadIdx.x == 40) atomicAdd(scratch, 1);
  while (!is_set) {
    const unsigned found = (unsigned)atomicAdd(scratch, 0);
    if (found != 0) is_set = true;
  }
  out[threadIdx.x] = 7;
}

int main() {
  const auto seven = [](int) { return 7; };
  const auto same = [](int i) { return i; };
  run_case("shared_last_lane", shared_last_lane, 1, 32, 32, seven);
  run_case("shared_first_lane", shared_first_lane, 1, 32, 32, seven);
  run_case("shared_chain_down", shared_chain_down, 1, 32, 32,
           [](int lane) { return 496 - lane * (lane - 1) / 2; });
  run_case("shared_chain_up", shared_chain_up, 1, 32, 32,
           [](int lane) { return lane * (lane + 1) / 2; });
  run_case("warps_in_turn", warps_in_turn, 1, 128, 4, [](int warp) {
    constexpr int kFlag[] = {6, 3, 2, 6};
    return kFlag[warp];
  });
  run_case("warp_waits_for_sync", warp_waits_for_sync, 1, 64, 64, same);
  run_case("global_volatile_lanes", global_volatile_lanes, 1, 32, 32, [](int) { return 42; });
  run_case("global_volatile_counting", global_volatile_counting, 1, 96, 96, [](int) { return 1; });
  run_case("ping_pong", ping_pong, 1, 32, 1, [](int) { return 40; });
  run_case("thread_waits_for_a_later_one", thread_waits_for_a_later_one, 1, 64, 64, seven);
  run_case("blocks_backwards", blocks_backwards, 4, 64, 4, [](int block) { return block + 100; });
  run_case("blocks_backwards_sleeping", blocks_backwards_sleeping, 4, 64, 4,
           [](int block) { return block + 200; });
  run_case("grid_barrier_by_hand", grid_barrier_by_hand, 4, 64, 256, [](int) { return 24; });
  run_case("thread_for_thread", thread_for_thread, 4, 64, 64, [](int i) { return i + 1; });
  run_case("blocks_wait_with_barriers", blocks_wait_with_barriers, 8, 64, 512,
           [](int) { return 8; });
  run_case("blocks_wait_with_votes", blocks_wait_with_votes, 8, 32, 256, [](int) { return 8; });
  return result();
}
