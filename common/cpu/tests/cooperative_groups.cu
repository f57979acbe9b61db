// Cooperative groups: blocks, tiles, coalesced threads, reductions and scans, the grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

#include <utility>

#include "support.h"

namespace cg = cooperative_groups;

namespace {

__global__ void describe_block(unsigned* out) {
  const cg::thread_block block = cg::this_thread_block();
  unsigned* mine = out + 4 * block.thread_rank();
  mine[0] = block.size();
  mine[1] = block.group_index().y;
  mine[2] = block.thread_index().y;
  mine[3] = block.dim_threads().x;
  block.sync();
}

template <unsigned Size>
__global__ void tiles(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<Size>(block);
  const int value = static_cast<int>(block.thread_rank());
  int* mine = out + 12 * value;
  mine[0] = static_cast<int>(tile.thread_rank());
  mine[1] = static_cast<int>(tile.meta_group_rank());
  mine[2] = static_cast<int>(tile.meta_group_size());
  mine[3] = tile.shfl(value, 1);
  mine[4] = tile.shfl_up(value, 2);
  mine[5] = tile.shfl_down(value, 2);
  mine[6] = tile.shfl_xor(value, 1);
  mine[7] = tile.any(value == 3);
  mine[8] = tile.all(value != 3);
  mine[9] = static_cast<int>(tile.ballot(value % 3 == 0));
  mine[10] = cg::reduce(tile, value, cg::plus<int>());
  mine[11] = cg::exclusive_scan(tile, value);
}

// Two halves of a warp take different ways, each a group of its own.
__global__ void coalesced(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  int* mine = out + 6 * t;
  if (t % 3 == 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    mine[0] = static_cast<int>(group.size());
    mine[1] = static_cast<int>(group.thread_rank());
    mine[2] = group.shfl(t, 2);
    mine[3] = group.shfl_down(t, 1);
    mine[4] = static_cast<int>(group.ballot(t >= 15));
    mine[5] = cg::reduce(group, t, cg::greater<int>());
    group.sync();
  } else {
    const cg::coalesced_group group = cg::coalesced_threads();
    mine[0] = static_cast<int>(group.size());
    mine[1] = static_cast<int>(group.thread_rank());
    mine[2] = group.shfl(t, 2);
    mine[3] = group.shfl_up(t, 1);
    mine[4] = static_cast<int>(group.match_any(t / 8));
    mine[5] = cg::inclusive_scan(group, 1);
  }
}

__device__ int sum_of(const cg::thread_group& group, int* scratch, int value) {
  const unsigned rank = group.thread_rank();
  for (unsigned half = group.size() / 2; half > 0; half /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < half) value += scratch[rank + half];
    group.sync();
  }
  return value;
}
// One function for blocks and for tiles of any size.
__global__ void groups_by_reference(int* out) {
  __shared__ int scratch[64];
  const cg::thread_block block = cg::this_thread_block();
  const int of_block = sum_of(block, scratch, 1);
  const cg::thread_group tile = cg::tiled_partition(block, 8);
  const int of_tile = sum_of(tile, scratch + threadIdx.x / 8 * 8, static_cast<int>(threadIdx.x));
  const cg::thread_group small = cg::tiled_partition(tile, 2);
  if (threadIdx.x == 0) out[8] = of_block;
  if (tile.thread_rank() == 0) out[threadIdx.x / 8] = of_tile;
  out[9 + threadIdx.x] = static_cast<int>(10 * small.size() + small.thread_rank());
}

struct Item {
  double weight;
  int index;
};
__global__ void reduce_structures(Item* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = static_cast<int>(threadIdx.x);
  const Item mine{1.0 / (1 + (t * 7) % 32), t};
  const Item largest = cg::reduce(
      warp, mine, [](const Item& a, const Item& b) { return a.weight < b.weight ? b : a; });
  const Item from_five = warp.shfl(mine, 5);
  out[t] = {largest.weight + from_five.weight, 100 * largest.index + from_five.index};
}

__global__ void partitions(int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = static_cast<int>(threadIdx.x);
  const cg::coalesced_group same = cg::labeled_partition(warp, t % 5);
  out[2 * t] = static_cast<int>(same.size());
  const cg::coalesced_group side = cg::binary_partition(warp, t < 10);
  out[2 * t + 1] = static_cast<int>(side.thread_rank());
}

// All blocks write, then all read what the next block has written, round after round.
__global__ void rotate_grid(int* ring, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned n = static_cast<unsigned>(grid.size());
  const unsigned me = static_cast<unsigned>(grid.thread_rank());
  for (int r = 0; r < rounds; ++r) {
    const int next = ring[(me + cg::this_thread_block().size()) % n];
    cg::grid_group::arrival_token token = grid.barrier_arrive();
    const int two_more = next + 2;
    grid.barrier_wait(std::move(token));
    ring[me] = two_more - 2;
    grid.sync();
  }
}

__global__ void sync_grid(int* valid) {
  *valid = cg::this_grid().is_valid();
  if (*valid) cg::this_grid().sync();
}

__global__ void sync_all_but_first() {
  if (blockIdx.x != 0) cg::this_grid().sync();
}

__global__ void sync_grid_always() { cg::this_grid().sync(); }

template <unsigned Size>
void check_tiles() {
  const int threads = 64;
  const test::DeviceArray<int> out(12 * threads);
  tiles<Size><<<1, threads>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  const std::vector<int> got = out.read();
  const int size = static_cast<int>(Size);
  for (int t = 0; t < threads; ++t) {
    const int rank = t % size;
    const int first = t - rank;
    unsigned ballot = 0;
    int sum = 0;
    int before = 0;
    for (int r = 0; r < size; ++r) {
      if ((first + r) % 3 == 0) ballot |= 1u << r;
      sum += first + r;
      if (r < rank) before += first + r;
    }
    const bool has_three = first <= 3 && 3 < first + size;
    const std::vector<int> expected{rank,
                                    t / size,
                                    threads / size,
                                    size > 1 ? first + 1 : t,
                                    rank >= 2 ? t - 2 : t,
                                    rank + 2 < size ? t + 2 : t,
                                    size > 1 ? t ^ 1 : t,
                                    has_three,
                                    !has_three,
                                    static_cast<int>(ballot),
                                    sum,
                                    before};
    CHECK(std::vector<int>(got.begin() + 12 * t, got.begin() + 12 * (t + 1)) == expected);
  }
}

}  // namespace

TEST_CASE("the block as a group") {
  const test::DeviceArray<unsigned> out(4 * 6);
  describe_block<<<dim3(1, 1), dim3(3, 2)>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  const std::vector<unsigned> got = out.read();
  for (std::size_t t = 0; t < 6; ++t) {
    CHECK(got[4 * t] == 6);
    CHECK(got[4 * t + 1] == 0);
    CHECK(got[4 * t + 2] == t / 3);
    CHECK(got[4 * t + 3] == 3);
  }
}

TEST_CASE("tiles of every size") {
  check_tiles<1>();
  check_tiles<2>();
  check_tiles<4>();
  check_tiles<8>();
  check_tiles<16>();
  check_tiles<32>();
}

TEST_CASE("threads that are together form a group") {
  const test::DeviceArray<int> out(6 * 32);
  coalesced<<<1, 32>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  const std::vector<int> got = out.read();
  std::vector<int> third;
  std::vector<int> rest;
  for (int t = 0; t < 32; ++t) (t % 3 == 0 ? third : rest).push_back(t);
  for (std::size_t r = 0; r < third.size(); ++r) {
    const std::size_t t = static_cast<std::size_t>(third[r]);
    CHECK(got[6 * t] == 11);
    CHECK(got[6 * t + 1] == static_cast<int>(r));
    CHECK(got[6 * t + 2] == 6);
    CHECK(got[6 * t + 3] == (r + 1 < third.size() ? third[r + 1] : third[r]));
    CHECK(got[6 * t + 4] == 0x7e0);
    CHECK(got[6 * t + 5] == 30);
  }
  for (std::size_t r = 0; r < rest.size(); ++r) {
    const std::size_t t = static_cast<std::size_t>(rest[r]);
    int match = 0;
    for (std::size_t q = 0; q < rest.size(); ++q)
      if (rest[q] / 8 == rest[r] / 8) match |= 1 << q;
    CHECK(got[6 * t] == 21);
    CHECK(got[6 * t + 1] == static_cast<int>(r));
    CHECK(got[6 * t + 2] == 4);
    CHECK(got[6 * t + 3] == (r > 0 ? rest[r - 1] : rest[r]));
    CHECK(got[6 * t + 4] == match);
    CHECK(got[6 * t + 5] == static_cast<int>(r) + 1);
  }
}

TEST_CASE("a function takes a group of any size by reference") {
  const test::DeviceArray<int> out(9 + 64);
  groups_by_reference<<<1, 64>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  const std::vector<int> got = out.read();
  for (int tile = 0; tile < 8; ++tile) CHECK(got[static_cast<std::size_t>(tile)] == 64 * tile + 28);
  CHECK(got[8] == 64);
  for (std::size_t t = 0; t < 64; ++t) CHECK(got[9 + t] == static_cast<int>(20 + t % 2));
}

TEST_CASE("groups exchange structures larger than a register") {
  const test::DeviceArray<Item> out(32);
  reduce_structures<<<1, 32>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  for (const Item& item : out.read()) {
    CHECK(item.weight == 1.0 + 1.0 / 4);
    CHECK(item.index == 5);
  }
}

TEST_CASE("partitions by label and by predicate") {
  const test::DeviceArray<int> out(64);
  partitions<<<1, 32>>>(out.get());
  REQUIRE(cudaGetLastError() == cudaSuccess);
  const std::vector<int> got = out.read();
  for (int t = 0; t < 32; ++t) {
    CHECK(got[static_cast<std::size_t>(2 * t)] == (t % 5 < 2 ? 7 : 6));
    CHECK(got[static_cast<std::size_t>(2 * t + 1)] == (t < 10 ? t : t - 10));
  }
}

__global__ void update_totals(int* total, int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int value = static_cast<int>(threadIdx.x) + 1;
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(total[0]), largest(total[1]);
  const int before = cg::exclusive_scan_update(tile, sum, value);
  const int with_own = cg::inclusive_scan_update(tile, largest, value, cg::greater<int>());
  cuda::atomic_ref<int, cuda::thread_scope_device> bits(total[2]);
  cg::reduce_update_async(tile, bits, value, cg::bit_or<int>());
  cg::reduce_store_async(tile, &total[3], value, cg::less<int>());
  const auto next = [total](int by) { return atomicAdd(&total[4], by); };
  const int number = cg::invoke_one_broadcast(tile, next, 10);
  cg::invoke_one(tile, [total] { atomicAdd(&total[5], 1); });
  out[threadIdx.x] = before + 1000 * with_own + 100'000 * number;
}

TEST_CASE("a group updates an atomic object, or lets one of its threads do something") {
  test::DeviceArray<int> total(6, 0), out(16, -1);
  update_totals<<<1, 16>>>(total.get(), out.get());
  update_totals<<<1, 16>>>(total.get(), out.get());
  CHECK(total.read() == std::vector<int>{272, 16, 31, 1, 20, 2});
  const std::vector<int> got = out.read();
  for (int t = 0; t < 16; ++t) CHECK(got[t] == 136 + t * (t + 1) / 2 + 16'000 + 1'000'000);
}

TEST_CASE("the blocks of a cooperative launch wait for each other") {
  int per_processor = 0;
  int processors = 0;
  const int threads = 64;
  REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, rotate_grid, threads, 0) ==
          cudaSuccess);
  REQUIRE(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  const int most = per_processor * processors;
  for (const int blocks : {1, 2, most < 8 ? most : 8}) {
    const int n = blocks * threads;
    std::vector<int> ring;
    for (int i = 0; i < n; ++i) ring.push_back(i);
    const test::DeviceArray<int> device(ring);
    int* pointer = device.get();
    int rounds = 7;
    void* arguments[] = {&pointer, &rounds};
    REQUIRE(cudaLaunchCooperativeKernel(rotate_grid, dim3(static_cast<unsigned>(blocks)),
                                        dim3(threads), arguments) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    const std::vector<int> got = device.read();
    for (int i = 0; i < n; ++i) CHECK(got[static_cast<std::size_t>(i)] == (i + 7 * threads) % n);
  }
  int* none = nullptr;
  int rounds = 1;
  void* arguments[] = {&none, &rounds};
  CHECK(cudaLaunchCooperativeKernel(rotate_grid, dim3(static_cast<unsigned>(most + 1)),
                                    dim3(threads),
                                    arguments) == cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
}

TEST_CASE("an ordinary launch has no grid to wait for") {
  {
    const test::DeviceArray<int> valid(1, -1);
    sync_grid<<<1, 1>>>(valid.get());
    REQUIRE(cudaGetLastError() == cudaSuccess);
    CHECK(valid.read()[0] == 0);
  }
  const test::ResetAfterwards reset;
  test::Captured errors(stderr);
  sync_grid_always<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  test::check_contains(errors.text(), {"cudaLaunchCooperativeKernel", "cooperative_groups.cu:"});
}

// CUCPU_TIMEOUT has to be short for this one; meson.build sets it.
TEST_CASE("blocks that do not come to a grid barrier" *
          doctest::skip(std::getenv("CUCPU_TIMEOUT") == nullptr)) {
  const test::ResetAfterwards reset;
  test::Captured errors(stderr);
  cudaLaunchCooperativeKernel(sync_all_but_first, dim3(3), dim3(32), nullptr);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  test::check_contains(errors.text(), {"grid.sync()", "sync_all_but_first", "in block (1,0,0)",
                                       "in block (2,0,0)", "cooperative_groups.cu:"});
}
