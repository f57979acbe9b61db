// long double, which a device computes as double: the values here are the same in both.
#include "case.h"

// Live across a barrier of the block.
__global__ void across_syncthreads(int* out, int*) {
  __shared__ int slot[64];
  const int thread = static_cast<int>(threadIdx.x);
  const long double half = thread * 0.5L;
  slot[thread] = thread;
  __syncthreads();
  const long double sum = half + slot[63 - thread];
  __syncthreads();
  out[thread] = static_cast<int>(2 * (sum + half));
}
// 2 (t + 63 - t)
int across_syncthreads_expected(int) { return 126; }

// Across shuffles, with several at once.
__global__ void across_shuffles(int* out, int*) {
  const int lane = static_cast<int>(threadIdx.x);
  long double a = lane + 0.25L;
  long double b = lane * 2.0L;
  long double c = 1.0L / (1 << (lane % 8));
  for (int offset = 16; offset > 0; offset /= 2) {
    const int other = __shfl_xor_sync(kFull, lane, offset);
    a += other;
    b -= other;
    c *= 2;
  }
  out[lane] = static_cast<int>(4 * a + b + 8 * c);
}
int across_shuffles_expected(int lane) {
  int others = 0;
  for (int offset = 16; offset > 0; offset /= 2) others += lane ^ offset;
  return 4 * (lane + others) + 1 + 2 * lane - others + (256 >> lane % 8);
}

// Across a wait at the free pace.
__global__ void across_spins(int* out, int* scratch) {
  const int lane = static_cast<int>(threadIdx.x);
  long double value = lane + 0.5L;
  for (int turn = 0; turn < 4; ++turn) {
    if (lane == turn) {
      atomicExch(scratch + turn, 1);
    } else {
      while (atomicAdd(scratch + turn, 0) == 0) __nanosleep(10);
    }
    value *= 2;
  }
  out[lane] = static_cast<int>(value);
}
// 16 (l + 1/2)
int across_spins_expected(int lane) { return 16 * lane + 8; }

int main() {
  run_case("across_syncthreads", across_syncthreads, 1, 64, 64, across_syncthreads_expected);
  run_case("across_shuffles", across_shuffles, 1, 32, 32, across_shuffles_expected);
  run_case("across_spins", across_spins, 1, 32, 32, across_spins_expected);
  return result();
}
