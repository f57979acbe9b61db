// Masks that are nested, overlap or are disjoint: lanes wait for the lanes they name, and for
// nobody else.
#include "case.h"

// Lanes 16-31 exchange among themselves before they join all: 31 - lane + 16 comes to each of them,
// and then lane 0 gets it from lane 16: 31.
__global__ void half_before_all(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  int value = lane;
  if (lane >= 16) value = __shfl_xor_sync(0xffff0000u, value, 15);
  out[lane] = value + 100 * __shfl_sync(kFull, value, 16);
}

// Three masks, each inside the one before. Lane 31 is in all: it brings 31 to lanes 28-31, so they
// hold 31 + 28..31; then lanes 24-31 get what lane 28 holds, 59; then all get that of lane 24,
// which is 24 + 59 = 83.
__global__ void three_nested(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  int value = lane;
  if (lane >= 24) {
    if (lane >= 28) value += __shfl_sync(0xf0000000u, value, 31);
    value += __shfl_sync(0xff000000u, value, 28);
  }
  out[lane] = __shfl_sync(kFull, value, 24);
}

// The outer mask is waited in first by lanes 0-7, the inner ones come later and one after the
// other: 8-15, 16-23, 24-31 sum themselves up, with 92, 156, 220; lane 0 then sees 28 of its own.
__global__ void outer_waits_first(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  int value = lane;
  const int group = lane / 8;
  if (group > 0) {
    const unsigned mask = 0xffu << (8 * group);
    for (int offset = 4; offset > 0; offset /= 2) value += __shfl_xor_sync(mask, value, offset);
  } else {
    value = 28;
  }
  out[lane] = __shfl_sync(kFull, value, 8 * ((group + 1) % 4));
}

// Masks 0x0000ffff and 0x00ffff00 overlap in lanes 8-15, which take part in the one and then in
// the other. First: lanes 0-15 get lane 15's 15. Then lanes 8-23 get what lane 8 has: 15.
__global__ void overlap_one_after_the_other(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  int value = lane;
  if (lane < 16) value = __shfl_sync(0x0000ffffu, value, 15);
  if (lane >= 8 && lane < 24) value = __shfl_sync(0x00ffff00u, value, 8);
  out[lane] = value;
}

// A chain: each lane meets its successor, under a mask of the two, and hands it the sum so far:
// lane i ends with 0 + 1 + ... + i.
__global__ void chain_of_pairs(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  int value = lane;
  for (int low = 0; low < 31; ++low) {
    if (lane != low && lane != low + 1) continue;
    const int below = __shfl_sync(3u << low, value, low);
    if (lane == low + 1) value += below;
  }
  out[lane] = value;
}

// The chain the other way round: lane i ends with i + ... + 31.
__global__ void chain_backwards(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  int value = lane;
  for (int low = 30; low >= 0; --low) {
    if (lane != low && lane != low + 1) continue;
    const int above = __shfl_sync(3u << low, value, low + 1);
    if (lane == low) value += above;
  }
  out[lane] = value;
}

// Disjoint __syncwarp(mask): each quarter passes values round through shared memory as often as its
// number says, plus one; then lane l of a quarter has what began (q + 1) lanes further on.
__global__ void disjoint_syncwarp(int* out, int*) {
  __shared__ int slot[32];
  const unsigned lane = threadIdx.x;
  const unsigned quarter = lane / 8;
  const unsigned mask = 0xffu << (8 * quarter);
  slot[lane] = static_cast<int>(lane);
  for (unsigned round = 0; round <= quarter; ++round) {
    __syncwarp(mask);
    const int next = slot[8 * quarter + (lane + 1) % 8];
    __syncwarp(mask);
    slot[lane] = next;
  }
  __syncwarp();
  out[lane] = slot[lane];
}

// Even and odd lanes at once, from one line, each parity as often as it wants: even lanes add the
// value of lane 0 (0) twice, odd ones that of lane 1 five times, which doubles each time in lane 1:
// 1, 2, 4, 8, 16. So odd lanes gain 31, lane 1 too (1 -> 32).
__global__ void even_and_odd(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned mask = lane % 2 == 0 ? 0x55555555u : 0xaaaaaaaau;
  const int rounds = lane % 2 == 0 ? 2 : 5;
  int value = lane;
  for (int round = 0; round < rounds; ++round) value += __shfl_sync(mask, value, lane % 2);
  out[lane] = value;
}

// __syncwarp() of all lanes, from both branches of an if: each half then sees what the other wrote,
// lane l what lane l ^ 16 did.
__global__ void both_branches(int* out, int*) {
  __shared__ int slot[32];
  const int lane = static_cast<int>(threadIdx.x);
  slot[lane] = 10 * lane;
  if (lane < 16) {
    __syncwarp();
    out[lane] = slot[lane + 16];
  } else {
    __syncwarp();
    out[lane] = slot[lane - 16] + 1;
  }
}

// The same lanes of two warps do opposite things: no warp sees anything of the other. Warp 0 sums
// its halves (120, 376), warp 1 all of it (496 + 32 * 32).
__global__ void two_warps(int* out, int*) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  int value = thread;
  if (thread < 32) {
    const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    for (int offset = 8; offset > 0; offset /= 2) value += __shfl_xor_sync(mask, value, offset);
  } else {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kFull, value, offset);
  }
  __syncthreads();
  out[thread] = value;
}

// Lane 0 waits for all, and before any other comes to that, lanes 1-31 vote among themselves.
__global__ void vote_while_one_waits(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  unsigned odd = 0;
  if (lane > 0) odd = __ballot_sync(0xfffffffeu, lane % 2);
  out[lane] = static_cast<int>(__reduce_or_sync(kFull, odd));
}

// A __syncwarp of a subset, then one of all, then the subset again: what lane 3 writes is seen by
// its subset at once and by the rest after the second.
__global__ void subset_all_subset(int* out, int*) {
  __shared__ int word[3];
  const unsigned lane = threadIdx.x;
  const bool inner = lane < 8;
  int sum = 0;
  if (inner) {
    if (lane == 3) word[0] = 1;
    __syncwarp(0xffu);
    sum += word[0];
    if (lane == 5) word[1] = 10;
  }
  __syncwarp();
  sum += word[1];
  if (inner) {
    if (lane == 7) word[2] = 100;
    __syncwarp(0xffu);
    sum += word[2];
  }
  out[lane] = sum;
}

int main() {
  run_case("half_before_all", half_before_all, 1, 32, 32,
           [](int lane) { return (lane < 16 ? lane : 16 + (31 - lane)) + 3100; });
  run_case("three_nested", three_nested, 1, 32, 32, [](int) { return 83; });
  run_case("outer_waits_first", outer_waits_first, 1, 32, 32, [](int lane) {
    const int next = (lane / 8 + 1) % 4;
    return 28 + 64 * next;  // 8 lanes from 8 * next on
  });
  run_case("overlap_one_after_the_other", overlap_one_after_the_other, 1, 32, 32,
           [](int lane) { return lane < 24 ? 15 : lane; });
  run_case("chain_of_pairs", chain_of_pairs, 1, 32, 32,
           [](int lane) { return lane * (lane + 1) / 2; });
  run_case("chain_backwards", chain_backwards, 1, 32, 32,
           [](int lane) { return 496 - lane * (lane - 1) / 2; });
  run_case("disjoint_syncwarp", disjoint_syncwarp, 1, 32, 32, [](int lane) {
    const int quarter = lane / 8;
    return 8 * quarter + (lane + quarter + 1) % 8;
  });
  run_case("even_and_odd", even_and_odd, 1, 32, 32,
           [](int lane) { return lane + (lane % 2 == 0 ? 0 : 31); });
  run_case("both_branches", both_branches, 1, 32, 32,
           [](int lane) { return lane < 16 ? 160 + 10 * lane : 10 * (lane - 16) + 1; });
  run_case("two_warps", two_warps, 1, 64, 64, [](int thread) {
    return thread < 16 ? 120 : thread < 32 ? 376 : 496 + 1024;
  });
  run_case("vote_while_one_waits", vote_while_one_waits, 1, 32, 32,
           [](int) { return static_cast<int>(0xaaaaaaaau); });
  run_case("subset_all_subset", subset_all_subset, 1, 32, 32,
           [](int lane) { return lane < 8 ? 111 : 10; });
  return result();
}
