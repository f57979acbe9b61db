// Votes, matches, reductions and __activemask.
#include "support.h"

namespace {

constexpr unsigned kFull = 0xffffffffu;

__global__ void votes(unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned* mine = out + 8 * lane;
  mine[0] = __ballot_sync(kFull, lane % 3 == 0);
  mine[1] = static_cast<unsigned>(__any_sync(kFull, lane == 31));
  mine[2] = static_cast<unsigned>(__any_sync(kFull, lane == 32));
  mine[3] = static_cast<unsigned>(__all_sync(kFull, lane < 32));
  mine[4] = static_cast<unsigned>(__all_sync(kFull, lane < 31));
  mine[5] = static_cast<unsigned>(__uni_sync(kFull, lane == 99));
  mine[6] = static_cast<unsigned>(__uni_sync(kFull, lane == 5));
  // Any value but 0 is true, also one whose lowest bits are 0.
  mine[7] = __ballot_sync(kFull, static_cast<int>(lane % 2 << 31));
}

__global__ void votes_in_part(unsigned* out) {
  const unsigned lane = threadIdx.x;
  if (lane < 8) {
    out[lane] = __ballot_sync(0x000000ffu, lane != 2);
  } else {
    out[lane] = __ballot_sync(0xffffff00u, 1);
  }
}

__global__ void matches(unsigned* any, unsigned* all, int* equal) {
  const unsigned lane = threadIdx.x;
  any[lane] = __match_any_sync(kFull, static_cast<int>(lane / 5));
  all[lane] = __match_all_sync(kFull, 2.5, &equal[lane]);
  int differ = 7;
  if (__match_all_sync(kFull, lane == 9, &differ) != 0 || differ != 0) any[lane] = 0;
}

__global__ void reductions(int* ints, unsigned* words) {
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned bit = 1u << lane;
  int* i = ints + 3 * lane;
  i[0] = __reduce_add_sync(kFull, lane - 20);
  i[1] = __reduce_min_sync(kFull, lane - 20);
  i[2] = __reduce_max_sync(kFull, lane - 20);
  unsigned* w = words + 6 * lane;
  w[0] = __reduce_add_sync(kFull, 0x10000001u);
  w[1] = __reduce_min_sync(kFull, 0x90000000u + static_cast<unsigned>(lane));
  w[2] = __reduce_max_sync(kFull, bit);
  w[3] = __reduce_and_sync(kFull, ~(bit & 0xf0u));
  w[4] = __reduce_or_sync(kFull, bit & 0x00ffff00u);
  w[5] = __reduce_xor_sync(kFull, lane < 3 ? 0x7u << lane : 0u);
}

__global__ void active_lanes(unsigned* out) {
  const unsigned lane = threadIdx.x;
  out[lane] = 0;
  if (lane < 12) {
    if (lane % 4 == 1) return;
    out[lane] = __activemask();
  } else {
    out[lane] = __activemask();
  }
}

// The idiom with which lanes of a branch add together.
__global__ void aggregated_count(const int* values, int n, int* count, int* warps_that_added) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n && values[i] > 0) {
    const unsigned active = __activemask();
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (lane == __ffs(static_cast<int>(active)) - 1) {
      atomicAdd(count, __popc(active));
      atomicAdd(warps_that_added, 1);
    }
  }
}

// Data goes from lane to lane through memory, with __syncwarp between.
__global__ void through_memory(int* out) {
  __shared__ int slot[64];
  const unsigned t = threadIdx.x;
  slot[t] = static_cast<int>(t);
  for (int round = 0; round < 10; ++round) {
    __syncwarp();
    const int next = slot[t / 32 * 32 + (t + 1) % 32];
    __syncwarp();
    slot[t] = next;
  }
  out[t] = slot[t];
}

}  // namespace

TEST_CASE("votes") {
  const test::DeviceArray<unsigned> out(8 * 32);
  votes<<<1, 32>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  const std::vector<unsigned> got = out.read();
  for (std::size_t lane = 0; lane < 32; ++lane) {
    CHECK(got[8 * lane] == 0x49249249u);
    CHECK(got[8 * lane + 1] != 0);
    CHECK(got[8 * lane + 2] == 0);
    CHECK(got[8 * lane + 3] != 0);
    CHECK(got[8 * lane + 4] == 0);
    CHECK(got[8 * lane + 5] != 0);
    CHECK(got[8 * lane + 6] == 0);
    CHECK(got[8 * lane + 7] == 0xaaaaaaaau);
  }
  votes_in_part<<<1, 32>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  for (std::size_t lane = 0; lane < 32; ++lane)
    CHECK(out.read()[lane] == (lane < 8 ? 0x000000fbu : 0xffffff00u));
  // 20 threads: the other lanes do not vote.
  votes<<<1, 20>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  CHECK(out.read()[0] == 0x00049249u);
  CHECK(out.read()[4] != 0);
}

TEST_CASE("matches") {
  const test::DeviceArray<unsigned> any(32);
  const test::DeviceArray<unsigned> all(32);
  const test::DeviceArray<int> equal(32);
  matches<<<1, 32>>>(any.get(), all.get(), equal.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const std::size_t first = lane / 5 * 5;
    CHECK(any.read()[lane] == static_cast<unsigned>(0x1full << first));
    CHECK(all.read()[lane] == kFull);
    CHECK(equal.read()[lane] == 1);
  }
}

TEST_CASE("reductions") {
  const test::DeviceArray<int> ints(3 * 32);
  const test::DeviceArray<unsigned> words(6 * 32);
  reductions<<<1, 32>>>(ints.get(), words.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  const std::vector<int> i = ints.read();
  const std::vector<unsigned> w = words.read();
  for (std::size_t lane = 0; lane < 32; ++lane) {
    CHECK(i[3 * lane] == 496 - 640);
    CHECK(i[3 * lane + 1] == -20);
    CHECK(i[3 * lane + 2] == 11);
    CHECK(w[6 * lane] == 0x20u);
    CHECK(w[6 * lane + 1] == 0x90000000u);
    CHECK(w[6 * lane + 2] == 0x80000000u);
    CHECK(w[6 * lane + 3] == 0xffffff0fu);
    CHECK(w[6 * lane + 4] == 0x00ffff00u);
    CHECK(w[6 * lane + 5] == (0x7u ^ 0xeu ^ 0x1cu));
  }
}

TEST_CASE("__activemask names the lanes of the branch") {
  const test::DeviceArray<unsigned> out(32);
  active_lanes<<<1, 32>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const unsigned expected = lane >= 12 ? 0xfffff000u : lane % 4 == 1 ? 0u : 0x00000dddu;
    CHECK(out.read()[lane] == expected);
  }
}

TEST_CASE("the lanes of a branch add as one") {
  const int n = 1000;
  std::vector<int> values;
  int positive = 0;
  for (int i = 0; i < n; ++i) {
    values.push_back(i % 7 - 3);
    positive += i % 7 > 3;
  }
  const test::DeviceArray<int> in(values);
  const test::DeviceArray<int> count(1, 0);
  const test::DeviceArray<int> warps(1, 0);
  aggregated_count<<<8, 128>>>(in.get(), n, count.get(), warps.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  CHECK(count.read()[0] == positive);
  CHECK(warps.read()[0] == 32);
}

TEST_CASE("__syncwarp orders what lanes write and read") {
  const test::DeviceArray<int> out(64);
  through_memory<<<1, 64>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  for (int t = 0; t < 64; ++t)
    CHECK(out.read()[static_cast<std::size_t>(t)] == t / 32 * 32 + (t + 10) % 32);
}
