// Lanes that add as one: whichever lanes a warp's groups have, the totals are the same.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "case.h"

namespace cg = cooperative_groups;

__device__ int take(int* counter) {
  const cg::coalesced_group group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(group.num_threads()));
  return group.shfl(first, 0) + static_cast<int>(group.thread_rank());
}

// Multiples of 3 are put behind one another, in no order; each place is taken once.
__global__ void filter(int* out, int* scratch) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i % 3 == 0) atomicAdd(&scratch[1 + take(scratch)], 1);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(scratch + 1000, 1) == static_cast<int>(gridDim.x) - 1) {
    int taken = 0;
    for (int place = 0; place < 999; ++place) taken += atomicAdd(&scratch[1 + place], 0) == 1;
    out[0] = atomicAdd(scratch, 0);
    out[1] = taken;
  }
}

// By key, through match_any: one addition for each key of a warp. A million's worth of bins would
// do the same; here 10.
__global__ void histogram_by_match(int* out, int* scratch) {
  const int key = static_cast<int>(threadIdx.x) % 10;
  const unsigned group = __match_any_sync(kFull, key);
  if (static_cast<int>(threadIdx.x) % 32 == __ffs(static_cast<int>(group)) - 1)
    atomicAdd(scratch + key, __popc(group));
  __syncthreads();
  if (threadIdx.x < 10) out[threadIdx.x] = atomicAdd(scratch + threadIdx.x, 0);
}
// 160 threads: 16 for each.

// In a loop that lanes leave: each takes as many numbers as its lane says.
__global__ void take_in_a_loop(int* out, int* scratch) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int i = 0; i < lane; ++i) atomicAdd(&scratch[1 + take(scratch)], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int taken = 0;
    for (int place = 0; place < 2000; ++place) taken += atomicAdd(&scratch[1 + place], 0) == 1;
    out[0] = atomicAdd(scratch, 0);
    out[1] = taken;
  }
}
// Two warps: 2 * 496.

// __activemask() and __syncwarp() of what it says.
__global__ void active_leader(int* out, int* scratch) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane % 5 < 2) {
    const unsigned active = __activemask();
    if (lane == __ffs(static_cast<int>(active)) - 1) atomicAdd(scratch, __popc(active));
    __syncwarp(active);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = atomicAdd(scratch, 0);
}
// 14 of 32 lanes have remainder 0 or 1; three warps.

int main() {
  // 0, 3, ..., 255 of 256 threads.
  run_case("filter", filter, 4, 64, 2, [](int) { return 86; });
  run_case("histogram_by_match", histogram_by_match, 1, 160, 10, [](int) { return 16; });
  run_case("take_in_a_loop", take_in_a_loop, 1, 64, 2, [](int) { return 992; });
  run_case("active_leader", active_leader, 1, 96, 1, [](int) { return 42; });
  return result();
}
