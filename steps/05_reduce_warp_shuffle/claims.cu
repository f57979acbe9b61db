// The statements of the chapter about its kernels, counted.
#include <vector>

#include "further/last_arrival.cuh"
#include "further/warp_scan.cuh"
#include "harness/claims.h"
#include "kernels.h"

using harness::Count;
using harness::count;

constexpr std::size_t kElements = 1 << 16;
constexpr int kBlockSize = 256;
constexpr int kInFlight = 4;
constexpr int kTile = kBlockSize * kPack;

// Step 04 takes these per block; its own claims hold them.
constexpr std::uint64_t kWordsThere = 511 + 511;
constexpr std::uint64_t kRequestsThere = 45;

TEST_CASE("reduce_shuffle: for each block of 256, one barrier and one atomic") {
  constexpr std::size_t kBlocks = kElements / 256;
  const Count c = count<problem::Sum>(reduce_shuffle, {kElements});
  CHECK(c.launch().grid.x == kBlocks);
  CHECK(c.barriers == kBlocks);
  CHECK(c.warp_syncs == 0);
  CHECK(c.global_atomic.threads == kBlocks);
}

TEST_CASE(
    "reduce_shuffle: 8 words stored to shared memory, 8 loaded, by 9 requests; 8 * 5 + 5 "
    "shuffles") {
  constexpr std::size_t kBlocks = kElements / 256;
  const Count c = count<problem::Sum>(reduce_shuffle, {kElements});
  CHECK(c.shared_store.threads == 8 * kBlocks);
  CHECK(c.shared_load.threads == 8 * kBlocks);
  CHECK(c.shared_load.requests + c.shared_store.requests == 9 * kBlocks);
  CHECK(c.shuffles == (8 * 5 + 5) * kBlocks);
}

TEST_CASE("the words that go through shared memory fall by nearly 64, the requests by 5") {
  constexpr std::size_t kBlocks = kElements / 256;
  const Count c = count<problem::Sum>(reduce_shuffle, {kElements});
  const std::uint64_t words = (c.shared_load.threads + c.shared_store.threads) / kBlocks;
  CHECK(kWordsThere >= 63 * words);
  CHECK(kWordsThere < 64 * words);
  CHECK(kRequestsThere == 5 * (c.shared_load.requests + c.shared_store.requests) / kBlocks);
}

TEST_CASE("reduce_shuffle_float4: a quarter of the blocks, barriers and atomics") {
  constexpr std::size_t kBlocks = kElements / 1024;
  const Count c = count<problem::Sum>(reduce_shuffle_float4, {kElements});
  CHECK(c.launch().grid.x == kBlocks);
  CHECK(c.barriers == kBlocks);
  CHECK(c.global_atomic.threads == kBlocks);
  CHECK(c.global_load.width() == sizeof(float4));
  CHECK(c.global_load.sectors_per_request() == 16);
  CHECK(c.global_load.efficiency() == 1);
}

TEST_CASE(
    "reduce_grid_stride: no more blocks than the GPU holds, one barrier and one atomic each") {
  int blocks_per_sm = 0;
  REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &blocks_per_sm, reduce_grid_stride_kernel<kInFlight>, kBlockSize, 0) == cudaSuccess);
  const auto resident = static_cast<std::size_t>(multiprocessors() * blocks_per_sm);
  REQUIRE(resident > 0);
  const Count c = count<problem::Sum>(reduce_grid_stride, {3 * kTile * resident});
  CHECK(c.launch().grid.x == resident);
  CHECK(c.barriers == resident);
  CHECK(c.global_atomic.threads == resident);
}

TEST_CASE("reduce_two_pass: at most 1024 blocks and 1 more, one barrier each, no atomics") {
  const Count c = count<problem::Sum>(reduce_two_pass, {3 * kTile * 1024});
  REQUIRE(c.launches.size() == 2);
  CHECK(c.launches[0].grid.x == 1024);
  CHECK(c.launches[1].grid.x == 1);
  CHECK(c.launches[0].kernel == c.launches[1].kernel);
  CHECK(c.barriers == 1024 + 1);
  CHECK(c.global_atomic.requests == 0);
  CHECK(count<problem::Sum>(reduce_two_pass, {kElements}).launches[0].grid.x == kElements / kTile);
}

TEST_CASE("reduce_many_blocks: a block of 1024 and an atomic for 16384 elements") {
  const Count c = count<problem::Sum>(reduce_many_blocks, {kElements + 1});
  CHECK(c.launch().block.x == 1024);
  CHECK(c.launch().grid.x == kElements / 16384 + 1);
  CHECK(c.global_atomic.threads == kElements / 16384 + 1);
}

TEST_CASE("reduce_last_block: one launch, two barriers per block and one more, a count per block") {
  constexpr std::size_t kBlocks = kElements / 4096;
  const Count c = count<problem::Sum>(reduce_last_block, {kElements});
  CHECK(c.launch().grid.x == kBlocks);
  CHECK(c.barriers == 2 * kBlocks + 1);
  CHECK(c.global_atomic.threads == kBlocks);
  CHECK(c.at("__ldcg(reinterpret_cast<const float4*>(sums)").global_load.threads == kBlocks / 4);
}

namespace {
// Each thread reads a stretch of its own.
__global__ void stretches_kernel(const float* x, float* sum) {
  float value = 0.0f;
  for (int k = 0; k < kInFlight; ++k) {
    value += pack_sum(reinterpret_cast<const float4*>(x)[threadIdx.x * kInFlight + k]);
  }
  sum[threadIdx.x] = value;
}
}  // namespace

TEST_CASE("neighbors read neighboring packs; stretches would cost 32 sectors, half of each used") {
  const Count strided = count<problem::Sum>(reduce_grid_stride, {1 << 20});
  CHECK(strided.global_load.sectors_per_request() == 16);
  CHECK(strided.global_load.efficiency() == 1);

  const device::Buffer<float> x(kTile * kInFlight);
  const device::Buffer<float> sum(kBlockSize);
  const Count stretches = count([&] { stretches_kernel<<<1, kBlockSize>>>(x.data(), sum.data()); });
  CHECK(stretches.global_load.sectors_per_request() == 32);
  CHECK(stretches.global_load.efficiency() == 0.5);
}

namespace {
// Lane 0 brings 1, lane 1 brings 2, and so on.
__global__ void scan_kernel(float* sums) {
  sums[threadIdx.x] = warp_scan(static_cast<float>(threadIdx.x + 1));
}
}  // namespace

TEST_CASE("warp_scan: the sums up to each lane, by five shuffles and no shared memory") {
  const device::Buffer<float> sums(kWarpSize);
  const Count c = count([&] { scan_kernel<<<1, kWarpSize>>>(sums.data()); });
  CHECK(c.shuffles == 5);
  CHECK(c.barriers + c.shared_load.requests + c.shared_store.requests == 0);
  std::vector<float> result(kWarpSize);
  sums.download(result);
  for (int lane = 0; lane < kWarpSize; ++lane) CHECK(result[lane] == (lane + 1) * (lane + 2) / 2);
}

namespace {
__global__ void arrivals_kernel(unsigned* blocks_done, unsigned* last_blocks) {
  if (threadIdx.x == 0 && is_last_arrival(blocks_done)) atomicAdd(last_blocks, 1u);
}
}  // namespace

TEST_CASE("is_last_arrival: one block of all finds itself the last, by one atomic per block") {
  const device::Buffer<unsigned> counts(2);
  REQUIRE(cudaMemset(counts.data(), 0, 2 * sizeof(unsigned)) == cudaSuccess);
  const Count c = count([&] { arrivals_kernel<<<20, 64>>>(counts.data(), counts.data() + 1); });
  CHECK(c.global_atomic.requests == 20 + 1);
  std::vector<unsigned> result(2);
  counts.download(result);
  CHECK(result == std::vector<unsigned>{20, 1});
}
