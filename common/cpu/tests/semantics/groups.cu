// Groups that the lanes' values make: matches, partitions, coalesced threads.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "case.h"

namespace cg = cooperative_groups;

// Lanes with the same remainder by 3 form a group, and each group shuffles as often as its
// remainder says, plus one, before all meet. Adding the group's lowest lane, r, each time; which in
// that lane doubles: r, 2 r, 4 r.
__global__ void match_groups_trip_counts(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  const int remainder = lane % 3;
  const unsigned group = __match_any_sync(kFull, remainder);
  int value = lane;
  for (int round = 0; round <= remainder; ++round)
    value += __shfl_sync(group, value, __ffs(static_cast<int>(group)) - 1);
  __syncwarp();
  out[lane] = value;
}
int match_groups_trip_counts_expected(int lane) {
  const int remainder = lane % 3;
  return lane + remainder * ((1 << (remainder + 1)) - 1);
}

// Keys that repeat in no order: each lane counts those of its key below it.
__global__ void rank_among_equals(int* out, int*) {
  const unsigned lane = threadIdx.x;
  const unsigned key = lane * lane % 7;
  const unsigned group = __match_any_sync(kFull, key);
  int rank = 0;
  for (unsigned left = group & ((1u << lane) - 1); left != 0; left &= left - 1) ++rank;
  __syncwarp(group);
  out[lane] = 100 * __popc(group) + rank;
}
int rank_among_equals_expected(int lane) {
  int rank = 0;
  int all = 0;
  for (int other = 0; other < 32; ++other) {
    const bool same = other * other % 7 == lane * lane % 7;
    all += same;
    rank += same && other < lane;
  }
  return 100 * all + rank;
}

// Each side of a partition sums itself up, one of them twice over.
__global__ void binary_partitions(int* out, int*) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = static_cast<int>(warp.thread_rank());
  const auto side = cg::binary_partition(warp, lane % 4 == 0);
  int sum = cg::reduce(side, lane, cg::plus<int>());
  if (lane % 4 == 0) sum += 1000 * cg::reduce(side, 1, cg::plus<int>());
  warp.sync();
  out[lane] = sum;
}
// Multiples of 4 below 32: 112, eight of them; the rest: 496 - 112.
int binary_partitions_expected(int lane) { return lane % 4 == 0 ? 8112 : 384; }

// Groups of sizes 1, 2, 3, ...: labels 0 | 1 1 | 2 2 2 | ...; 28 lanes have labels 0 to 6, and the
// last 4 label 7.
__device__ int label_of(int lane) {
  int label = 0;
  for (int first = 0; lane >= first + label + 1; ++label) first += label + 1;
  return label;
}
__global__ void labeled_partitions(int* out, int*) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = static_cast<int>(warp.thread_rank());
  const int label = label_of(lane);
  const auto group = cg::labeled_partition(warp, label);
  int sum = 0;
  for (int round = 0; round <= label; ++round)
    sum += group.shfl(lane, static_cast<int>(group.num_threads()) - 1);
  out[lane] = 1000 * static_cast<int>(group.thread_rank()) + sum;
}
// Label k has its last lane at (k + 1)(k + 2) / 2 - 1, which k + 1 rounds add up; label 7's is 31.
int labeled_partitions_expected(int lane) {
  int label = 0;
  int first = 0;
  while (lane > first + label) first += ++label;
  const int last = label == 7 ? 31 : first + label;
  return 1000 * (lane - first) + (label + 1) * last;
}

// A partition of a partition.
__global__ void partition_of_partition(int* out, int*) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = static_cast<int>(warp.thread_rank());
  const auto halves = cg::binary_partition(warp, lane < 20);
  int value = lane;
  if (lane < 20) {
    const auto inner = cg::binary_partition(halves, lane % 2 == 0);
    value = cg::reduce(inner, lane, cg::plus<int>());
  }
  out[lane] = value + 1000 * static_cast<int>(halves.num_threads());
}
// Even lanes below 20: 90; odd ones: 100.
int partition_of_partition_expected(int lane) {
  return lane < 20 ? (lane % 2 == 0 ? 90 : 100) + 20000 : lane + 12000;
}

// Whatever lanes a coalesced group has, their sum by groups is that of all: each group's first adds
// what its group has to the total.
__device__ void add_together(int* total, int value) {
  const cg::coalesced_group group = cg::coalesced_threads();
  const int sum = cg::reduce(group, value, cg::plus<int>());
  if (group.thread_rank() == 0) atomicAdd(total, sum);
}
// From both branches of an if, by one function.
__global__ void coalesced_in_a_function(int* out, int* scratch) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane % 3 == 0) {
    add_together(&scratch[0], lane);
  } else {
    add_together(&scratch[1], lane);
  }
  __syncthreads();
  if (lane == 0) {
    out[0] = scratch[0];
    out[1] = scratch[1];
  }
}
// 0 + 3 + ... + 63 = 693, and the rest of 2016.
int coalesced_in_a_function_expected(int i) { return i == 0 ? 693 : 2016 - 693; }

// Two on one line, for two kinds of lanes. A group that mixed them would add some values to the
// wrong total.
__global__ void coalesced_twice_on_a_line(int* out, int* scratch) {
  const int lane = static_cast<int>(threadIdx.x);
  int* total = nullptr;
  // clang-format off
  if (lane < 11) { total = scratch; const auto g = cg::coalesced_threads(); const int s = cg::reduce(g, lane, cg::plus<int>()); if (g.thread_rank() == 0) atomicAdd(total, s); } else { total = scratch + 1; const auto g = cg::coalesced_threads(); const int s = cg::reduce(g, lane, cg::plus<int>()); if (g.thread_rank() == 0) atomicAdd(total, s); }
  // clang-format on
  __syncthreads();
  if (lane < 2) out[lane] = scratch[lane];
}
// 0 + ... + 10 = 55, and the rest of 496.
int coalesced_twice_on_a_line_expected(int i) { return i == 0 ? 55 : 441; }

// Lanes that leave a loop one after the other: those that are left form groups in each round, and
// each lane is in just one of them, so that groups' sizes add up to the rounds of all lanes.
__global__ void coalesced_in_a_loop(int* out, int* scratch) {
  const int lane = static_cast<int>(threadIdx.x);
  for (int round = 0; round < lane; ++round) {
    const cg::coalesced_group group = cg::coalesced_threads();
    if (group.thread_rank() == 0) atomicAdd(scratch, static_cast<int>(group.num_threads()));
  }
  __syncthreads();
  if (lane == 0) out[0] = scratch[0];
}

// A coalesced group cut into tiles of 4: the tiles' leaders are as many as tiles.
__global__ void coalesced_tiles(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const cg::coalesced_group group = cg::binary_partition(warp, lane % 2 == 0);
  int value = lane;
  if (lane % 2 == 0) {
    const cg::coalesced_group tile = cg::tiled_partition(group, 4);
    value = cg::reduce(tile, lane, cg::plus<int>());
  }
  out[lane] = value;
}
// Even lanes 8 t, 8 t + 2, 8 t + 4, 8 t + 6 are a tile: 32 t + 12.
int coalesced_tiles_expected(int lane) { return lane % 2 == 0 ? 32 * (lane / 8) + 12 : lane; }

// In order of rank, the lanes of a group take numbers behind one another.
__global__ void scan_in_a_partition(int* out, int*) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = static_cast<int>(warp.thread_rank());
  const auto group = cg::labeled_partition(warp, lane % 5);
  int sum = lane;
  for (unsigned offset = 1; offset < group.num_threads(); offset *= 2) {
    const int below = group.shfl_up(sum, offset);
    if (group.thread_rank() >= offset) sum += below;
  }
  out[lane] = sum;
}
int scan_in_a_partition_expected(int lane) {
  int sum = 0;
  for (int other = lane % 5; other <= lane; other += 5) sum += other;
  return sum;
}

int main() {
  run_case("match_groups_trip_counts", match_groups_trip_counts, 1, 32, 32,
           match_groups_trip_counts_expected);
  run_case("rank_among_equals", rank_among_equals, 1, 32, 32, rank_among_equals_expected);
  run_case("binary_partitions", binary_partitions, 1, 32, 32, binary_partitions_expected);
  run_case("labeled_partitions", labeled_partitions, 1, 32, 32, labeled_partitions_expected);
  run_case("partition_of_partition", partition_of_partition, 1, 32, 32,
           partition_of_partition_expected);
  run_case("coalesced_in_a_function", coalesced_in_a_function, 1, 64, 2,
           coalesced_in_a_function_expected);
  run_case("coalesced_twice_on_a_line", coalesced_twice_on_a_line, 1, 32, 2,
           coalesced_twice_on_a_line_expected);
  run_case("coalesced_in_a_loop", coalesced_in_a_loop, 1, 32, 1, [](int) { return 496; });
  run_case("coalesced_tiles", coalesced_tiles, 1, 32, 32, coalesced_tiles_expected);
  run_case("scan_in_a_partition", scan_in_a_partition, 1, 32, 32, scan_in_a_partition_expected);
  return result();
}
