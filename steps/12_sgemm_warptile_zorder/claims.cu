// What the chapter says of its kernels, counted.
#include <cstring>
#include <set>

#include "harness/claims.h"
#include "rungs.h"

using harness::Count;
using harness::count;

constexpr std::size_t M = 128, N = 256, K = 64;
constexpr std::uint64_t kBlocks = (M / 128) * (N / 128);
constexpr std::uint64_t kWarps = kBlocks * kThreads / 32;

TEST_CASE("a warp reads 96 distinct words of shared memory for each k, in either order") {
  for (const auto variant : {sgemm_warptile, sgemm_warptile_zorder, sgemm_pipelined}) {
    const Count c = count<problem::Sgemm>(variant, {M, N, K});
    CHECK(c.launch().grid.x == kBlocks);
    CHECK(c.shared_load.words == (32 + 64) * kWarps * K);
    CHECK(c.shared_load.requests == 4 * kWarps * K);
    CHECK(c.shared_load.width() == sizeof(float4));
  }
}

TEST_CASE("neither order has a bank conflict") {
  for (const auto variant : {sgemm_warptile, sgemm_warptile_zorder}) {
    const Count c = count<problem::Sgemm>(variant, {M, N, K});
    CHECK(c.shared_load.conflicts == 0);
    CHECK(c.shared_store.conflicts == 0);
  }
}

namespace {
// Distinct words that the lanes of a quarter of a warp read with a 128-bit load, `place` being the
// row or the column of a lane.
template <class Place>
std::size_t words_of_quarter(Place place) {
  std::set<int> places;
  for (int lane = 0; lane < 8; ++lane) places.insert(place(lane));
  return 4 * places.size();
}
}  // namespace

TEST_CASE("a quarter of a warp reads 4 words of A and 32 of B in rows, 8 and 16 in Z order") {
  CHECK(words_of_quarter([](int lane) { return lane / 8; }) == 4);
  CHECK(words_of_quarter([](int lane) { return lane % 8; }) == 32);
  CHECK(words_of_quarter([](int lane) { return even_bits(lane / 2); }) == 8);
  CHECK(words_of_quarter([](int lane) { return even_bits(lane); }) == 16);
}

TEST_CASE("in Z order neighbours share: 8 wavefronts for each k instead of 12") {
  const Count rows = count<problem::Sgemm>(sgemm_warptile, {M, N, K});
  const Count z_order = count<problem::Sgemm>(sgemm_warptile_zorder, {M, N, K});
  CHECK(rows.shared_load.wavefronts == (2 * 2 + 2 * 4) * kWarps * K);
  CHECK(z_order.shared_load.wavefronts == (2 * 2 + 2 * 2) * kWarps * K);
}

TEST_CASE("what the order does not touch: sectors, copies, and the bits of the result") {
  const Count rows = count<problem::Sgemm>(sgemm_warptile, {M, N, K});
  const Count z_order = count<problem::Sgemm>(sgemm_warptile_zorder, {M, N, K});
  const Count pipelined = count<problem::Sgemm>(sgemm_pipelined, {M, N, K});
  // A request writes 4 rows of 128 bytes.
  for (const harness::AccessCount& stores : {rows.global_store, z_order.global_store}) {
    CHECK(stores.width() == sizeof(float4));
    CHECK(stores.sectors_per_request() == 16);
    CHECK(stores.efficiency() == 1);
  }
  CHECK(rows.global_load.requests == z_order.global_load.requests);
  CHECK(rows.global_load.sectors == z_order.global_load.sectors);
  CHECK(rows.barriers == z_order.barriers);

  const std::size_t bytes = M * N * sizeof(float);
  CHECK(std::memcmp(rows.output.data(), z_order.output.data(), bytes) == 0);
  CHECK(std::memcmp(rows.output.data(), pipelined.output.data(), bytes) == 0);
}

TEST_CASE("sgemm_pipelined: one barrier a slice instead of two") {
  constexpr std::uint64_t kSlices = K / 8 * kBlocks;
  CHECK(count<problem::Sgemm>(sgemm_warptile, {M, N, K}).barriers == 2 * kSlices);
  CHECK(count<problem::Sgemm>(sgemm_pipelined, {M, N, K}).barriers == kSlices);
}

TEST_CASE("sgemm_pipelined: a warp copies four sectors of A, a row's slice each, into 32 banks") {
  constexpr const char* kCopy = "__pipeline_memcpy_async(to, from, sizeof(float));";
  const harness::Counters copies = count<problem::Sgemm>(sgemm_pipelined, {M, N, K}).at(kCopy);
  CHECK(copies.global_load.sectors_per_request() == 4);
  CHECK(copies.global_load.efficiency() == 1);
  CHECK(copies.shared_store.words == 32 * copies.shared_store.requests);
  static_assert(K % 32 == 0, "the four rows come out of the same banks of the cache");
  CHECK(copies.shared_store.wavefronts_per_request() == 4);
  const harness::Counters apart = count<problem::Sgemm>(sgemm_pipelined, {M, N, 40}).at(kCopy);
  CHECK(apart.shared_store.wavefronts_per_request() == 1);
}

namespace {
constexpr int kSms = 12;  // CUCPU_SMS of this test

template <class Tiles, bool kShare>
void tuned(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  launch_sgemm_tuned<Tiles>(A, B, C, M, N, K, kShare, stream);
}

// Wide loads from shared memory a warp, for each k.
template <class Tiles>
constexpr std::uint64_t kLoads = Tiles::TM / 4 + Tiles::TN / 4;
}  // namespace

TEST_CASE("sgemm_tuned: 128 FMAs for 6 wide loads, in 2 wavefronts each") {
  using Large = LargeTiles<4>;
  static_assert(Large::TM * Large::TN == 128 && kLoads<Large> == 6);
  constexpr std::uint64_t kTunedWarps = Large::kBlock / 32;
  const Count c = count<problem::Sgemm>(tuned<Large, false>, {Large::BM, Large::BN, K});
  CHECK(c.launch().grid.x == 1);
  // At the end of each slice the first operands of the next one are read, also of none.
  CHECK(c.shared_load.requests == kLoads<Large> * kTunedWarps * (K + 1));
  CHECK(c.shared_load.width() == sizeof(float4));
  CHECK(c.shared_load.wavefronts == 2 * c.shared_load.requests);
  CHECK(c.barriers == K / Large::BK + 2);
}

TEST_CASE("sgemm_tuned: a tile at the edge is moved inside, and stores what is its own") {
  using Small = SmallTiles<4>;
  const Count c = count<problem::Sgemm>(tuned<Small, false>, {Small::BM + 1, Small::BN + 4, K});
  CHECK(c.launch().grid.x == 4);
  const Count whole = count<problem::Sgemm>(tuned<Small, false>, {2 * Small::BM, 2 * Small::BN, K});
  CHECK(c.global_load.requests == whole.global_load.requests);
  CHECK(c.global_store.bytes_used == (Small::BM + 1) * (Small::BN + 4) * sizeof(float));
}

TEST_CASE(
    "sgemm_tuned: shared out, one tile is the work of every SM, and put together at the end") {
  using Large = LargeTiles<4>;
  constexpr std::size_t kDepth = kSms * 2 * Large::BK;
  const Count c = count<problem::Sgemm>(tuned<Large, true>, {Large::BM, Large::BN, kDepth});
  REQUIRE(c.launches.size() == 2);
  CHECK(c.launches[0].grid.x == kSms);
  constexpr std::size_t kTile = Large::BM * Large::BN * sizeof(float);
  CHECK(c.launches[0].counters.global_store.bytes_used == kSms * kTile);
  CHECK(c.launches[1].counters.global_load.bytes_used == kSms * kTile);
  CHECK(c.launches[1].counters.global_store.bytes_used == kTile);
  // What is copied from A and B does not grow, but for the last slices, which are copied again.
  const Count one = count<problem::Sgemm>(tuned<Large, false>, {Large::BM, Large::BN, kDepth});
  constexpr std::size_t kSlice = (Large::BM + Large::BN) * Large::BK * sizeof(float);
  CHECK(one.global_load.bytes_used == (2 * kSms + 2) * kSlice);
  CHECK(c.launches[0].counters.global_load.bytes_used == (2 * kSms + 2 * kSms) * kSlice);
}

TEST_CASE(
    "sgemm_tuned: an element of few parts has one thread to add them up, one of many has four") {
  using Small = SmallTiles<4>;
  constexpr std::size_t kTile = Small::BM * Small::BN * sizeof(float);
  for (const std::size_t parts : {15, 16, kSms * Small::kBlocksPerSm}) {
    const Count c =
        count<problem::Sgemm>(tuned<Small, true>, {Small::BM, Small::BN, parts * Small::BK});
    REQUIRE(c.launches.size() == 2);
    CHECK(c.launches[1].block.y == (parts < 16 ? 1 : 4));
    CHECK(c.launches[1].counters.global_load.bytes_used == parts * kTile);
    CHECK(c.launches[1].counters.global_store.bytes_used == kTile);
  }
}
