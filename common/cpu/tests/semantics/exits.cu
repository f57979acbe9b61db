// Threads that exit early: nobody waits for them.
#include "case.h"

// Lanes 24-31 are gone when the others shuffle; none asks for what they had.
__global__ void before_a_shuffle(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane >= 24) return;
  int sum = lane;
  for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_xor_sync(0x00ffffffu, sum, offset);
  out[lane] = sum;
}
// Groups of 8 from 8 g on: 64 g + 28.
int before_a_shuffle_expected(int lane) { return 64 * (lane / 8) + 28; }

// Odd lanes go, and the even ones hand their numbers round by a mask made before.
__global__ void odd_lanes_go(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned even = __ballot_sync(kFull, lane % 2 == 0);
  if (lane % 2 == 1) return;
  out[lane / 2] = __shfl_sync(even, lane, (lane + 2) % 32);
}

// A ragged end: 50 threads have something to sum up, in a block of 64.
__global__ void ragged_end(int* out, int* scratch) {
  const int thread = static_cast<int>(threadIdx.x);
  const unsigned mask = __ballot_sync(kFull, thread < 50);
  if (thread >= 50) return;
  const int sum = __reduce_add_sync(mask, thread);
  if (thread % 32 == 0) atomicAdd(scratch, sum);
  if (thread == 0) {
    while (atomicAdd(scratch, 0) != 1225) {
    }
    out[0] = atomicAdd(scratch, 0);
  }
}

// In each round one lane more has exited, and those that are left sync with a mask of them.
__global__ void one_more_each_round(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  unsigned mask = kFull;
  int count = 0;
  for (int round = 0; round < 32; ++round) {
    if (lane == 31 - round) {
      out[lane] = count;
      return;
    }
    mask &= ~(1u << (31 - round));
    __syncwarp(mask);
    count += __popc(mask);
  }
}
// Lane l is there in rounds 0 to 30 - l, of 31, 30, ... lanes.
int one_more_each_round_expected(int lane) {
  int count = 0;
  for (int round = 0; round < 31 - lane; ++round) count += 31 - round;
  return count;
}

// Whole warps exit; the block's barrier is for those that are left.
__global__ void warps_exit(int* out, int*) {
  __shared__ int sum;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread / 32 % 2 == 1) return;
  if (thread == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  __syncthreads();
  out[thread / 64 * 32 + thread % 32] = sum;
}

// The last lane to wait is one that exits instead: its warp goes on without it.
__global__ void exit_completes_a_meeting(int* out, int* scratch) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane == 13) {
    while (atomicAdd(scratch, 0) != 31) {
    }
    return;
  }
  atomicAdd(scratch, 1);
  __syncwarp();
  out[lane] = __popc(__ballot_sync(~(1u << 13), 1));
}

// `return` where nothing may be returned, and where nothing may be called that is no constexpr.
struct Countdown {
  int left;
  __device__ explicit Countdown(int from) : left(from) {
    if (from > 0) return;
    left = 100;
  }
};
__host__ __device__ constexpr void halve_if(bool is_wanted, int& x) {
  if (!is_wanted) return;
  x /= 2;
}
__host__ __device__ constexpr int half_of(int x) {
  halve_if(false, x);
  halve_if(true, x);
  return x;
}
// Lane 0 counts down from 100, the others from their own number; 21 / 2 = 10 to each.
__global__ void returns_from_constructor(int* out, int*) {
  constexpr int kMore = half_of(21);
  const Countdown countdown(static_cast<int>(threadIdx.x));
  out[threadIdx.x] = countdown.left + kMore;
}

int main() {
  run_case("before_a_shuffle", before_a_shuffle, 1, 32, 24, before_a_shuffle_expected);
  run_case("odd_lanes_go", odd_lanes_go, 1, 32, 16, [](int i) { return (2 * i + 2) % 32; });
  run_case("ragged_end", ragged_end, 1, 64, 1, [](int) { return 1225; });
  run_case("one_more_each_round", one_more_each_round, 1, 32, 32, one_more_each_round_expected);
  run_case("warps_exit", warps_exit, 1, 128, 64, [](int) { return 64; });
  run_case("exit_completes_a_meeting", exit_completes_a_meeting, 1, 32, 32,
           [](int lane) { return lane == 13 ? kUnwritten : 31; });
  run_case("returns_from_constructor", returns_from_constructor, 1, 32, 32,
           [](int lane) { return (lane == 0 ? 100 : lane) + 10; });
  return result();
}
