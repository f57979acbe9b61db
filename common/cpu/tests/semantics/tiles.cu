// Tiles of a warp: each goes its own way, whatever the others do.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "case.h"

namespace cg = cooperative_groups;

// Each tile sums its ranks as often as its number says, plus one, before all lanes meet.
template <unsigned Size>
__global__ void trip_counts(int* out, int*) {
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int rounds = static_cast<int>(threadIdx.x % 32 / Size) + 1;
  int sum = 0;
  for (int round = 0; round < rounds; ++round)
    sum += cg::reduce(tile, static_cast<int>(tile.thread_rank()), cg::plus<int>());
  __syncwarp();
  out[threadIdx.x] = sum + 10000 * __shfl_sync(kFull, rounds, 31);
}
// 0 + ... + Size - 1 for each round, and the rounds of the last tile.
template <int Size>
int trip_counts_expected(int thread) {
  return (thread % 32 / Size + 1) * (Size * (Size - 1) / 2) + 10000 * (32 / Size);
}

// The same with the block's barrier after it, and a tile that waits for it long before the others.
__global__ void tiles_before_block_barrier(int* out, int*) {
  __shared__ int sums[16];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int number = static_cast<int>(threadIdx.x) / 8;
  int value = static_cast<int>(threadIdx.x);
  for (int round = 0; round < number % 5; ++round) value = tile.shfl(value, round);
  if (tile.thread_rank() == 0) sums[number] = value;
  __syncthreads();
  out[threadIdx.x] = sums[15 - number];
}
// The number of the tile's first thread. A tile that does not shuffle still has it; otherwise round
// 0 gives it to all, and later rounds change nothing.
int tiles_before_block_barrier_expected(int thread) { return 8 * (15 - thread / 8); }

// Tiles of 4 in tiles of 16: each small tile sums its ranks in the large tile, then the large tile
// adds up one value of each.
__global__ void tiles_of_tiles(int* out, int*) {
  const auto outer = cg::tiled_partition<16>(cg::this_thread_block());
  const auto inner = cg::tiled_partition<4>(outer);
  int value = static_cast<int>(outer.thread_rank());
  if (inner.meta_group_rank() != 2) value = cg::reduce(inner, value, cg::plus<int>());
  out[threadIdx.x] =
      value + 1000 * cg::reduce(outer, inner.thread_rank() == 0 ? value : 0, cg::plus<int>());
}
// Small tile m: 16 m + 6, but tile 2 keeps its own values, of which the first is 8. All firsts:
// 6 + 22 + 8 + 54 = 90.
int tiles_of_tiles_expected(int thread) {
  const int rank = thread % 16;
  const int tile = rank / 4;
  return (tile == 2 ? rank : 16 * tile + 6) + 90000;
}

// Halves of halves, down to pairs, with lanes of the upper half leaving each time.
__global__ void halves_of_halves(int* out, int*) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int value = 1;
  const auto half = cg::tiled_partition<16>(warp);
  if (half.meta_group_rank() == 0) {
    value += half.shfl_xor(value, 8);
    const auto quarter = cg::tiled_partition<8>(half);
    if (quarter.meta_group_rank() == 0) {
      value += quarter.shfl_xor(value, 4);
      const auto eighth = cg::tiled_partition<4>(quarter);
      if (eighth.meta_group_rank() == 0) value += eighth.shfl_xor(value, 2);
    }
  }
  warp.sync();
  out[threadIdx.x] = value;
}
// Doubled once for each level that a lane takes part in.
int halves_of_halves_expected(int thread) {
  const int lane = thread % 32;
  return lane < 4 ? 8 : lane < 8 ? 4 : lane < 16 ? 2 : 1;
}

// A tile whose lanes leave a loop one by one: the tile is asked in each round, by all its lanes,
// whether any is left.
__global__ void until_none_is_left(int* out, int*) {
  const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  int left = static_cast<int>(threadIdx.x) % 7;
  int rounds = 0;
  while (tile.any(left > 0)) {
    --left;
    ++rounds;
  }
  out[threadIdx.x] = rounds;
}
// The largest of the tile's numbers.
int until_none_is_left_expected(int thread) {
  int most = 0;
  for (int t = thread / 4 * 4; t < thread / 4 * 4 + 4; ++t) most = t % 7 > most ? t % 7 : most;
  return most;
}

// Only every second tile does anything before the block meets.
__global__ void every_second_tile(int* out, int*) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  int value = static_cast<int>(threadIdx.x);
  if (threadIdx.x / 16 % 2 == 1) {
    for (unsigned offset = 8; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
    value = tile.shfl(value, 0);
  }
  block.sync();
  out[threadIdx.x] = value;
}
// A tile from t on sums up to 16 t + 120. (shfl_down gives rank 0 the sum of all.)
int every_second_tile_expected(int thread) {
  return thread / 16 % 2 == 0 ? thread : 16 * (thread / 16 * 16) + 120;
}

// Inclusive sums of a tile, next to a tile that counts votes.
__global__ void scan_beside_votes(int* out, int*) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int rank = static_cast<int>(tile.thread_rank());
  int value = rank + 1;
  if (threadIdx.x / 8 % 2 == 0) {
    for (int offset = 1; offset < 8; offset *= 2) {
      const int below = tile.shfl_up(value, offset);
      if (rank >= offset) value += below;
    }
  } else {
    for (int round = 0; round < 3; ++round) value += __popc(tile.ballot(rank > round));
  }
  out[threadIdx.x] = value;
}
// 1 + ... + rank + 1; and 7 + 6 + 5 votes.
int scan_beside_votes_expected(int thread) {
  const int rank = thread % 8;
  return thread / 8 % 2 == 0 ? (rank + 1) * (rank + 2) / 2 : rank + 1 + 18;
}

// The first lane of each tile works alone while the rest of its tile waits.
__global__ void leaders_work(int* out, int*) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int value = 0;
  if (tile.thread_rank() == 0)
    for (int i = 0; i <= static_cast<int>(threadIdx.x); ++i) value += i;
  out[threadIdx.x] = tile.shfl(value, 0);
}
// 0 + ... + number of the tile's first thread.
int leaders_work_expected(int thread) {
  const int first = thread / 16 * 16;
  return first * (first + 1) / 2;
}

int main() {
  run_case("trip_counts<4>", trip_counts<4>, 1, 64, 64, trip_counts_expected<4>);
  run_case("trip_counts<8>", trip_counts<8>, 1, 64, 64, trip_counts_expected<8>);
  run_case("trip_counts<16>", trip_counts<16>, 1, 64, 64, trip_counts_expected<16>);
  run_case("tiles_before_block_barrier", tiles_before_block_barrier, 1, 128, 128,
           tiles_before_block_barrier_expected);
  run_case("tiles_of_tiles", tiles_of_tiles, 1, 64, 64, tiles_of_tiles_expected);
  run_case("halves_of_halves", halves_of_halves, 1, 64, 64, halves_of_halves_expected);
  run_case("until_none_is_left", until_none_is_left, 1, 64, 64, until_none_is_left_expected);
  run_case("every_second_tile", every_second_tile, 1, 96, 96, every_second_tile_expected);
  run_case("scan_beside_votes", scan_beside_votes, 1, 64, 64, scan_beside_votes_expected);
  run_case("leaders_work", leaders_work, 1, 64, 64, leaders_work_expected);
  return result();
}
