// Votes of some lanes, and of fewer and fewer.
#include "case.h"

// Lanes 8-23 vote twice, the others once, with masks of their own.
__global__ void partial_votes(int* out, int*) {
  const unsigned lane = threadIdx.x;
  unsigned votes = 0;
  if (lane >= 8 && lane < 24) {
    votes = __ballot_sync(0x00ffff00u, lane % 2 == 0);
    votes |= __ballot_sync(0x00ffff00u, lane == 9);
  } else {
    votes = __ballot_sync(0xff0000ffu, lane % 3 == 0);
  }
  out[lane] = static_cast<int>(votes);
}
// Even lanes of 8-23 and lane 9; 0, 3, 6, 24, 27, 30.
int partial_votes_expected(int lane) { return lane >= 8 && lane < 24 ? 0x00555700 : 0x49000049; }

// A loop that each lane leaves when it has counted down, with the mask of those that stay. It
// counts the lanes that are there in each round.
__global__ void narrowing_mask(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  int seen = 0;
  unsigned mask = kFull;
  for (int round = 0;; ++round) {
    mask = __ballot_sync(mask, round < lane);
    if (round >= lane) break;
    seen += __popc(mask);
  }
  out[lane] = seen;
}
// Round r has lanes r + 1 to 31: lane l sees 31 + 30 + ... of l rounds.
int narrowing_mask_expected(int lane) { return 31 * lane - lane * (lane - 1) / 2; }

// The same with a sum over those that are left, and lanes that leave in no order.
__global__ void narrowing_sum(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  const int rounds = lane * 5 % 8;
  int sum = 0;
  unsigned mask = kFull;
  for (int round = 0;; ++round) {
    mask = __ballot_sync(mask, round < rounds);
    if (round >= rounds) break;
    sum += __reduce_add_sync(mask, lane);
  }
  out[lane] = sum;
}
int narrowing_sum_expected(int lane) {
  int sum = 0;
  for (int round = 0; round < lane * 5 % 8; ++round)
    for (int other = 0; other < 32; ++other) sum += round < other * 5 % 8 ? other : 0;
  return sum;
}

// A worklist: as long as any lane has work, the lowest that has some is helped by all.
__global__ void help_the_lowest(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  int work = lane % 4 == 1 ? lane : 0;
  int helped = 0;
  while (const unsigned busy = __ballot_sync(kFull, work > 0)) {
    const int lowest = __ffs(static_cast<int>(busy)) - 1;
    helped += __shfl_sync(kFull, work, lowest);
    if (lane == lowest) work = 0;
  }
  out[lane] = helped;
}

// all and any of halves, in a loop that one half leaves early.
__global__ void halves_disagree(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned mine = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  int rounds = 0;
  while (__any_sync(mine, rounds < lane)) ++rounds;
  out[lane] = 100 * rounds + (__all_sync(kFull, rounds >= 15) != 0);
}
// Until the half's last lane: 15 and 31 rounds, all of them at least 15.
int halves_disagree_expected(int lane) { return lane < 16 ? 1501 : 3101; }

// match_all in one half, match_any in the other.
__global__ void matches_of_halves(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  int value = 0;
  if (lane < 16) {
    int all_equal = 7;
    value =
        static_cast<int>(__match_all_sync(0x0000ffffu, lane / 16, &all_equal)) + (all_equal != 0);
  } else {
    value = __popc(__match_any_sync(0xffff0000u, lane % 5));
  }
  out[lane] = value;
}
// Lanes 0-15 all have 0. Among 16-31, remainder 1 occurs four times, the others three times.
int matches_of_halves_expected(int lane) { return lane < 16 ? 0x10000 : lane % 5 == 1 ? 4 : 3; }

int main() {
  run_case("partial_votes", partial_votes, 1, 32, 32, partial_votes_expected);
  run_case("narrowing_mask", narrowing_mask, 1, 32, 32, narrowing_mask_expected);
  run_case("narrowing_sum", narrowing_sum, 1, 32, 32, narrowing_sum_expected);
  // 1 + 5 + 9 + ... + 29
  run_case("help_the_lowest", help_the_lowest, 1, 32, 32, [](int) { return 120; });
  run_case("halves_disagree", halves_disagree, 1, 32, 32, halves_disagree_expected);
  run_case("matches_of_halves", matches_of_halves, 1, 32, 32, matches_of_halves_expected);
  return result();
}
