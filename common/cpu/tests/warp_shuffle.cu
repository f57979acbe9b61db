// Shuffles against a model of them, with full, partial and disjoint masks and odd blocks.
#include <cmath>
#include <cstdint>

#include "support.h"

namespace {

constexpr unsigned kFull = 0xffffffffu;

enum class Shuffle { idx, up, down, exclusive_or };

__device__ int shuffle(Shuffle kind, unsigned mask, int value, int operand, int width) {
  switch (kind) {
    case Shuffle::idx:
      return __shfl_sync(mask, value, operand, width);
    case Shuffle::up:
      return __shfl_up_sync(mask, value, static_cast<unsigned>(operand), width);
    case Shuffle::down:
      return __shfl_down_sync(mask, value, static_cast<unsigned>(operand), width);
    case Shuffle::exclusive_or:
      return __shfl_xor_sync(mask, value, operand, width);
  }
  return 0;
}

__global__ void shuffle_all(Shuffle kind, int operand, int width, int* out) {
  out[threadIdx.x] = shuffle(kind, kFull, 1000 + static_cast<int>(threadIdx.x), operand, width);
}

// The lane whose value arrives.
int source_lane(Shuffle kind, int lane, int operand, int width) {
  const int segment = lane / width * width;
  switch (kind) {
    case Shuffle::idx:
      return segment + (operand % width + width) % width;
    case Shuffle::up:
      return lane - operand >= segment ? lane - operand : lane;
    case Shuffle::down:
      return lane + operand < segment + width ? lane + operand : lane;
    case Shuffle::exclusive_or:
      return (lane ^ operand) < segment + width ? lane ^ operand : lane;
  }
  return -1;
}

// Lanes of one half reduce among themselves while the other half does something else.
__global__ void disjoint_masks(int* out) {
  const unsigned lane = threadIdx.x;
  int value = static_cast<int>(lane);
  if (lane < 16) {
    for (int offset = 8; offset > 0; offset /= 2) {
      value += __shfl_xor_sync(0x0000ffffu, value, offset);
    }
  } else if (lane % 2 == 0) {
    value = __shfl_sync(0x55550000u, value, 30);
  } else {
    value = 100 * __shfl_up_sync(0xaaaa0000u, value, 2);
  }
  out[lane] = value;
}

// Both masks wait at once: neither can be finished before the other has begun.
__global__ void interleaved_masks(int* out) {
  const unsigned lane = threadIdx.x;
  const bool even = lane % 2 == 0;
  const unsigned mask = even ? 0x55555555u : 0xaaaaaaaau;
  int value = static_cast<int>(lane);
  for (int round = 0; round < 8; ++round) {
    value += __shfl_xor_sync(mask, value, 2 << (round % 4));
  }
  out[lane] = value;
}

__global__ void partial_mask(int* out) {
  const unsigned lane = threadIdx.x;
  if (lane >= 20) return;
  out[lane] = __shfl_down_sync(0x000fffffu, static_cast<int>(lane), 4);
}

// A block of fewer threads than a warp names all 32 lanes all the same.
__global__ void sum_of_small_block(int* out) {
  int value = static_cast<int>(threadIdx.x) + 1;
  for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(kFull, value, static_cast<int>(offset));
  }
  out[threadIdx.x] = value;
}

__global__ void from_missing_lanes(int* ints, float* floats, double* doubles) {
  // Lane 31 has gone by then, lanes of the second warp do not exist.
  if (threadIdx.x == 31) return;
  ints[threadIdx.x] = __shfl_sync(kFull, 5, 31);
  floats[threadIdx.x] = __shfl_sync(kFull, 5.f, 31);
  doubles[threadIdx.x] = __shfl_sync(kFull, 5., 31);
}

__global__ void every_type(int* ok) {
  const int lane = static_cast<int>(threadIdx.x);
  const int next = (lane + 1) % 32;
  bool good = __shfl_sync(kFull, lane, next) == next;
  good &= __shfl_sync(kFull, static_cast<unsigned>(lane) + 0x80000000u, next) ==
          static_cast<unsigned>(next) + 0x80000000u;
  good &= __shfl_sync(kFull, lane - (1ll << 40), next) == next - (1ll << 40);
  good &= __shfl_sync(kFull, static_cast<unsigned long long>(lane) << 58, next) ==
          static_cast<unsigned long long>(next) << 58;
  good &= __shfl_sync(kFull, -1.0f * static_cast<float>(lane), next) ==
          -1.0f * static_cast<float>(next);
  good &= __shfl_sync(kFull, 1e200 * lane, next) == 1e200 * next;
  ok[lane] = good;
}

// A result must stay what it was while other lanes are already in their next shuffle.
__global__ void back_to_back(unsigned* out, int rounds) {
  unsigned value = threadIdx.x * 2654435761u + 1;
  for (int r = 0; r < rounds; ++r) {
    value = value * 31 + __shfl_xor_sync(kFull, value, 1 << (r % 5));
    value ^= __shfl_down_sync(kFull, value, 3) + __shfl_up_sync(kFull, value, 7);
  }
  out[threadIdx.x] = value;
}

std::vector<unsigned> back_to_back_on_host(int rounds) {
  std::vector<unsigned> v(32);
  for (unsigned i = 0; i < 32; ++i) v[i] = i * 2654435761u + 1;
  for (int r = 0; r < rounds; ++r) {
    std::vector<unsigned> next(32);
    for (std::size_t i = 0; i < 32; ++i) next[i] = v[i] * 31 + v[i ^ (1u << (r % 5))];
    v = next;
    for (std::size_t i = 0; i < 32; ++i)
      next[i] = v[i] ^ (v[i + 3 < 32 ? i + 3 : i] + v[i >= 7 ? i - 7 : i]);
    v = next;
  }
  return v;
}

}  // namespace

TEST_CASE("each shuffle with each width and distance") {
  const test::DeviceArray<int> out(32);
  for (const Shuffle kind : {Shuffle::idx, Shuffle::up, Shuffle::down, Shuffle::exclusive_or}) {
    for (const int width : {1, 2, 4, 8, 16, 32}) {
      for (int operand = 0; operand < 32; ++operand) {
        shuffle_all<<<1, 32>>>(kind, operand, width, out.get());
        REQUIRE(cudaGetLastError() == cudaSuccess);
        const std::vector<int> got = out.read();
        for (int lane = 0; lane < 32; ++lane) {
          CAPTURE(static_cast<int>(kind));
          CAPTURE(width);
          CAPTURE(operand);
          CAPTURE(lane);
          REQUIRE(got[static_cast<std::size_t>(lane)] ==
                  1000 + source_lane(kind, lane, operand, width));
        }
      }
    }
  }
}

TEST_CASE("disjoint masks at once") {
  const test::DeviceArray<int> out(32);
  disjoint_masks<<<1, 32>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  std::vector<int> expected(16, 120);
  for (int lane = 16; lane < 32; ++lane)
    expected.push_back(lane % 2 == 0 ? 30 : 100 * (lane < 18 ? -1 : lane - 2));
  // Lane 17's source, lane 15, is not in its mask.
  CHECK(out.read() == expected);

  interleaved_masks<<<1, 32>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  for (int lane = 0; lane < 32; ++lane) {
    // After four rounds all hold the sum of their parity, after eight 16 times that.
    CHECK(out.read()[static_cast<std::size_t>(lane)] == 16 * (lane % 2 == 0 ? 240 : 256));
  }
}

TEST_CASE("a partial mask, the other lanes having exited") {
  const test::DeviceArray<int> out(32, -7);
  partial_mask<<<1, 32>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  std::vector<int> expected;
  for (int lane = 0; lane < 32; ++lane)
    expected.push_back(lane < 16 ? lane + 4 : lane < 20 ? -1 : -7);
  CHECK(out.read() == expected);
}

TEST_CASE("small blocks with a full mask") {
  for (const int threads : {1, 2, 4, 8, 16, 32}) {
    const test::DeviceArray<int> out(static_cast<std::size_t>(threads));
    sum_of_small_block<<<1, threads>>>(out.get());
    REQUIRE(cudaGetLastError() == cudaSuccess);
    CHECK(out.read() ==
          std::vector<int>(static_cast<std::size_t>(threads), threads * (threads + 1) / 2));
  }
}

TEST_CASE("what comes from a lane that has exited is poison") {
  const test::DeviceArray<int> ints(31, 0);
  const test::DeviceArray<float> floats(31, 0);
  const test::DeviceArray<double> doubles(31, 0);
  from_missing_lanes<<<1, 32>>>(ints.get(), floats.get(), doubles.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  CHECK(ints.read() == std::vector<int>(31, -1));
  for (const float x : floats.read()) CHECK(std::isnan(x));
  for (const double x : doubles.read()) CHECK(std::isnan(x));
}

TEST_CASE("values of every type") {
  const test::DeviceArray<int> ok(32, 0);
  every_type<<<1, 32>>>(ok.get());
  CHECK(ok.read() == std::vector<int>(32, 1));
}

TEST_CASE("shuffles back to back do not disturb each other") {
  const test::DeviceArray<unsigned> out(32);
  back_to_back<<<1, 32>>>(out.get(), 1000);
  REQUIRE(cudaGetLastError() == cudaSuccess);
  CHECK(out.read() == back_to_back_on_host(1000));
}
