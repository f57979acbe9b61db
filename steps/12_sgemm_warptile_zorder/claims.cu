// The chapter's claims about its kernels, counted.
#include <cstring>
#include <set>

#include "harness/claims.h"
#include "kernels.h"

using harness::Count;
using harness::count;

constexpr std::size_t M = 128, N = 256, K = 64;
constexpr std::uint64_t kBlocks = (M / 128) * (N / 128);
constexpr std::uint64_t kWarps = kBlocks * 256 / kWarpSize;

TEST_CASE("a warp reads 96 distinct words of shared memory for each k, in either order") {
  for (const auto variant :
       {sgemm_warptile, sgemm_warptile_zorder, sgemm_double_buffer, sgemm_pipelined}) {
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
// The distinct words that a quarter of a warp reads with a 128-bit load; `place` gives the
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

TEST_CASE("in Z order neighbors share: 8 wavefronts for each k instead of 12") {
  const Count rows = count<problem::Sgemm>(sgemm_warptile, {M, N, K});
  const Count z_order = count<problem::Sgemm>(sgemm_warptile_zorder, {M, N, K});
  CHECK(rows.shared_load.wavefronts == (2 * 2 + 2 * 4) * kWarps * K);
  CHECK(z_order.shared_load.wavefronts == (2 * 2 + 2 * 2) * kWarps * K);
}

namespace {
// Cycles of the pipe to shared memory over those of the FMAs: one wavefront, or 4 FMAs of a warp
// each.
double pipe_ratio(problem::Sgemm::Launch variant) {
  const Count c = count<problem::Sgemm>(variant, {M, N, K});
  return static_cast<double>(c.shared_load.wavefronts) / (M * N * K / kWarpSize / 4);
}
}  // namespace

TEST_CASE("the pipe to shared memory takes 75 % of the FMAs' time in rows, 50 % in Z order") {
  CHECK(pipe_ratio(sgemm_warptile) == 0.75);
  for (const auto variant : {sgemm_warptile_zorder, sgemm_double_buffer, sgemm_pipelined}) {
    CHECK(pipe_ratio(variant) == 0.5);
  }
  // The first fragments of a tile are read before its loop, and those behind the last slice, too.
  CHECK(pipe_ratio(sgemm_large_tile) == 0.375);
  CHECK(pipe_ratio(sgemm_banks) == doctest::Approx(0.375 * (K + 1) / K));
}

TEST_CASE("what the order does not touch: sectors, copies, and the bits of the result") {
  const Count rows = count<problem::Sgemm>(sgemm_warptile, {M, N, K});
  const Count z_order = count<problem::Sgemm>(sgemm_warptile_zorder, {M, N, K});
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
}

TEST_CASE("every rung up to sgemm_rasterized gives the same bits") {
  const Count first = count<problem::Sgemm>(sgemm_warptile, {M, N, K});
  for (const auto variant : {sgemm_double_buffer, sgemm_pipelined, sgemm_large_tile,
                             sgemm_fragments, sgemm_inside, sgemm_remainder, sgemm_spread,
                             sgemm_pointers, sgemm_turning, sgemm_banks, sgemm_rasterized}) {
    const Count c = count<problem::Sgemm>(variant, {M, N, K});
    CHECK(std::memcmp(first.output.data(), c.output.data(), M * N * sizeof(float)) == 0);
  }
}

TEST_CASE("sgemm_double_buffer, sgemm_pipelined: one barrier per turn instead of two per slice") {
  constexpr std::uint64_t kSlices = K / 8;
  CHECK(count<problem::Sgemm>(sgemm_warptile, {M, N, K}).barriers == 2 * kSlices * kBlocks);
  CHECK(count<problem::Sgemm>(sgemm_double_buffer, {M, N, K}).barriers == (kSlices + 1) * kBlocks);
  CHECK(count<problem::Sgemm>(sgemm_pipelined, {M, N, K}).barriers == (kSlices + 3) * kBlocks);
}

TEST_CASE("sgemm_pipelined: a warp copies four sectors of A, a row's slice each, into 32 banks") {
  constexpr const char* kCopy = "__pipeline_memcpy_async(&stage.A[c][r]";
  const harness::Counters copies = count<problem::Sgemm>(sgemm_pipelined, {M, N, K}).at(kCopy);
  CHECK(copies.global_load.sectors_per_request() == 4);
  CHECK(copies.global_load.efficiency() == 1);
  CHECK(copies.shared_store.words == 32 * copies.shared_store.requests);
}

TEST_CASE("sgemm_pipelined with two stages instead of four: the same bits") {
  using TwoStages = Tiling<128, 128, 8, 32, 64, 8, 8, 2, 2>;
  const auto two = [](const float* A, const float* B, float* C, int M, int N, int K,
                      cudaStream_t stream) {
    sgemm_pipelined_kernel<TwoStages, 4>
        <<<kBlocks, TwoStages::kBlockSize, 0, stream>>>(A, B, C, M, N, K);
  };
  const Count four_stages = count<problem::Sgemm>(sgemm_pipelined, {M, N, K});
  const Count two_stages = count<problem::Sgemm>(two, {M, N, K});
  const std::size_t bytes = M * N * sizeof(float);
  CHECK(std::memcmp(two_stages.output.data(), four_stages.output.data(), bytes) == 0);
  CHECK(two_stages.barriers == four_stages.barriers - 2 * kBlocks);
}

namespace {
using Large = LargeTiles;
using Small = SmallTiles;
constexpr std::uint64_t kLargeWarps = Large::kBlockSize / kWarpSize;
constexpr std::size_t kTileBytes = Large::BM * Large::BN * sizeof(float);
constexpr std::size_t kSliceBytes = (Large::BM + Large::BN) * Large::BK * sizeof(float);
constexpr int kSms = 12;  // CUCPU_SMS of this test

Count count_tile(problem::Sgemm::Launch variant, std::size_t depth) {
  return count<problem::Sgemm>(variant, {Large::BM, Large::BN, depth});
}
}  // namespace

TEST_CASE("sgemm_large_tile: 128 FMAs for 6 wide loads, in 2 wavefronts each") {
  static_assert(Large::TM * Large::TN == 128 && Large::TM / 4 + Large::TN / 4 == 6);
  const Count c = count_tile(sgemm_large_tile, K);
  CHECK(c.launch().grid.x == 1);
  CHECK(c.shared_load.requests == 6 * kLargeWarps * K);
  CHECK(c.shared_load.words == (128 + 32) * kLargeWarps * K);
  CHECK(c.shared_load.width() == sizeof(float4));
  CHECK(c.shared_load.wavefronts == 2 * c.shared_load.requests);
}

TEST_CASE("sgemm_large_tile: three quarters of what sgemm_pipelined copies") {
  const Count c = count<problem::Sgemm>(sgemm_large_tile, {512, 512, K});
  const Count before = count<problem::Sgemm>(sgemm_pipelined, {512, 512, K});
  CHECK(4 * c.global_load.bytes_used == 3 * before.global_load.bytes_used);
}

TEST_CASE("sgemm_fragments: at the end of each slice, also the last, the next fragments are read") {
  const Count c = count_tile(sgemm_fragments, K);
  CHECK(c.shared_load.requests == 6 * kLargeWarps * (K + 1));
  CHECK(c.barriers == K / Large::BK + 1);
}

TEST_CASE("sgemm_inside: a tile at the edge is moved inside, and stores what is its own") {
  for (const auto variant : {sgemm_inside, sgemm_rasterized}) {
    const Count c = count<problem::Sgemm>(variant, {Large::BM + 1, Large::BN + 4, K});
    CHECK(c.launch().grid.x == 4);
    const Count whole = count<problem::Sgemm>(variant, {2 * Large::BM, 2 * Large::BN, K});
    CHECK(c.global_load.requests == whole.global_load.requests);
    CHECK(c.global_store.bytes_used == (Large::BM + 1) * (Large::BN + 4) * sizeof(float));
  }
}

TEST_CASE("sgemm_remainder: the last slice is copied again; what is left of K comes after it") {
  for (const auto variant : {sgemm_remainder, sgemm_spread, sgemm_pointers}) {
    const Count c = count_tile(variant, K);
    CHECK(c.global_load.bytes_used == (K / Large::BK + 2) * kSliceBytes);
    const Count rest = count_tile(variant, K + 1);
    CHECK(rest.global_load.bytes_used ==
          c.global_load.bytes_used + (Large::BM + Large::BN) * sizeof(float));
    CHECK(rest.shared_load.requests == c.shared_load.requests + 6 * kLargeWarps);
  }
  // Before that, nothing was copied twice.
  CHECK(count_tile(sgemm_inside, K).global_load.bytes_used == K / Large::BK * kSliceBytes);
}

TEST_CASE("sgemm_spread and those after it copy and read as much as before") {
  const Count before = count_tile(sgemm_remainder, K);
  for (const auto variant : {sgemm_spread, sgemm_pointers, sgemm_turning, sgemm_banks}) {
    const Count c = count_tile(variant, K);
    CHECK(c.global_load.requests == before.global_load.requests);
    CHECK(c.global_load.sectors == before.global_load.sectors);
    CHECK(c.shared_load.wavefronts == before.shared_load.wavefronts);
    CHECK(c.barriers == before.barriers);
  }
}

TEST_CASE(
    "sgemm_rasterized: 128 tiles in a row lie in 8 rows and 16 columns of tiles, not 4 and 32") {
  std::set<int> rows, cols, all;
  for (int tile = 0; tile < 128; ++tile) {
    const TilePlace place = tile_place<Large>(tile, 32 * Large::BM, 32 * Large::BN);
    rows.insert(place.row);
    cols.insert(place.col);
  }
  CHECK(rows.size() == 8);
  CHECK(cols.size() == 16);
  // And every tile is there once, also where the last group has fewer rows.
  for (int tile = 0; tile < 11 * 3; ++tile) {
    const TilePlace place = tile_place<Large>(tile, 11 * Large::BM, 3 * Large::BN);
    all.insert(place.row * 3 + place.col / Large::BN);
  }
  CHECK(all.size() == 11 * 3);
}

TEST_CASE("sgemm_two_groups: eight warps share a tile, and each reads what half of K takes") {
  using Tile = GroupTiles;
  constexpr std::size_t kDepth = 4 * Tile::BK;
  constexpr std::uint64_t kWarpsOfGroup = Tile::kBlockSize / kWarpSize;
  const auto count_depth = [](std::size_t depth) {
    return count<problem::Sgemm>(sgemm_two_groups, {Tile::BM, Tile::BN, depth});
  };
  const Count c = count_depth(kDepth), longer = count_depth(2 * kDepth);
  CHECK(c.launch().grid.x == 1);
  CHECK(c.launch().block.x == Tile::kBlockSize);
  CHECK(c.launch().block.y == 2);
  // 4 wide loads per step, and 8 warps for two steps at a time.
  const std::uint64_t more_loads = longer.shared_load.requests - c.shared_load.requests;
  CHECK(more_loads == 4 * kWarpsOfGroup * kDepth);
  CHECK(2 * (longer.barriers - c.barriers) == kDepth / Tile::BK);
  // Nothing is loaded twice, except the slices that each group copies past its last one.
  CHECK(longer.global_load.bytes_used - c.global_load.bytes_used ==
        (Tile::BM + Tile::BN) * kDepth * sizeof(float));
  // The second group's sums go through shared memory, without a bank conflict.
  const harness::Counters sums = c.at("second[i][threadIdx.x] = sum");
  CHECK(sums.shared_store.requests == Tile::TM * Tile::TN * kWarpsOfGroup);
  CHECK(sums.shared_store.conflicts == 0);
  CHECK(c.global_store.bytes_used == Tile::BM * Tile::BN * sizeof(float));
}

TEST_CASE("sgemm_split_k: one tile is the work of every SM, added up with atomics") {
  constexpr std::size_t kDepth = kSms * 2 * Large::BK;
  const Count c = count_tile(sgemm_split_k, kDepth);
  CHECK(c.launch().grid.x == kSms);
  CHECK(c.global_atomic.bytes_used == kSms * kTileBytes);
  CHECK(count_tile(sgemm_rasterized, kDepth).launch().grid.x == 1);
}

TEST_CASE("sgemm_shares: what does not fill all SMs is dealt out, in equal shares") {
  // 13 tiles on 12 SMs: 12 have one each, and a twelfth of the last.
  constexpr std::size_t kDepth = kSms * Large::BK;
  const Count c = count<problem::Sgemm>(sgemm_shares, {13 * Large::BM, Large::BN, kDepth});
  CHECK(c.launch().grid.x == 2 * kSms);
  CHECK(c.global_atomic.bytes_used == kSms * kTileBytes);
  const Partition partition{.slices = kSms, .shared = 5, .sharers = kSms};
  for (int block = 0; block < kSms; ++block) {
    CHECK(partition.begin(block + 1) - partition.begin(block) == 5);
  }
}

TEST_CASE("the first tiles are the shared ones: 24 of 288, and the others have a block each") {
  const Partition partition{.slices = 188, .shared = 24, .sharers = 132};
  CHECK(partition.begin(0) == 0);
  CHECK(partition.begin(132) == 24 * 188);
  CHECK(partition.begin(133) == 25 * 188);
}

namespace {
// While it lives, cudaMallocAsync gets no memory.
class EmptyPool {
 public:
  EmptyPool() {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    properties.maxSize = 1;
    REQUIRE(cudaMemPoolCreate(&pool_, &properties) == cudaSuccess);
    REQUIRE(cudaDeviceSetMemPool(0, pool_) == cudaSuccess);
  }
  ~EmptyPool() { cudaMemPoolDestroy(pool_); }
  EmptyPool(const EmptyPool&) = delete;
  EmptyPool& operator=(const EmptyPool&) = delete;

 private:
  cudaMemPool_t pool_ = nullptr;
};
}  // namespace

TEST_CASE("without memory for partial tiles nothing is shared, and the result is right") {
  constexpr std::size_t kDepth = kSms * 2 * Large::BK;
  const Count whole = count_tile(sgemm_rasterized, kDepth);
  const EmptyPool none;
  for (const auto variant : {sgemm_fixup, sgemm_stream_k, sgemm_tuned}) {
    const Count c = count_tile(variant, kDepth);
    REQUIRE(c.launches.size() == 1);
    CHECK(std::memcmp(c.output.data(), whole.output.data(), kTileBytes) == 0);
  }
}

namespace {
template <class Tiles, bool kShare>
void stream_k(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  const TunedTiles tiles = tuned_tiles<Tiles>("", {});
  const TunedChoice choice = choice_of(tiles, kShare, multiprocessors(), M, N, K);
  void* workspace = nullptr;
  cudaMallocAsync(&workspace, choice.workspace_bytes() + 1, stream);
  run_choice(choice, A, B, C, workspace, stream);
  cudaFreeAsync(workspace, stream);
}
}  // namespace

TEST_CASE("sgemm_fixup: partial tiles are put aside, and put together by a second kernel") {
  constexpr std::size_t kDepth = kSms * 2 * Large::BK;
  for (const auto variant : {sgemm_fixup, sgemm_stream_k}) {
    const Count c = count_tile(variant, kDepth);
    REQUIRE(c.launches.size() == 2);
    CHECK(c.launches[0].grid.x == kSms);
    CHECK(c.launches[0].counters.global_store.bytes_used == kSms * kTileBytes);
    CHECK(c.launches[1].counters.global_load.bytes_used == kSms * kTileBytes);
    CHECK(c.launches[1].counters.global_store.bytes_used == kTileBytes);
    // The copies of A and B do not grow, except that the last slices are copied again.
    const Count one = count_tile(stream_k<Large, false>, kDepth);
    CHECK(one.global_load.bytes_used == (2 * kSms + 2) * kSliceBytes);
    CHECK(c.launches[0].counters.global_load.bytes_used == (2 * kSms + 2 * kSms) * kSliceBytes);
  }
}

TEST_CASE("sgemm_stream_k: an element of few parts has one thread to add them up, of many four") {
  constexpr std::size_t kTile = Small::BM * Small::BN * sizeof(float);
  for (const std::size_t parts : {15, 16, kSms * Small::kBlocksPerSm}) {
    const Count c =
        count<problem::Sgemm>(stream_k<Small, true>, {Small::BM, Small::BN, parts * Small::BK});
    REQUIRE(c.launches.size() == 2);
    CHECK(c.launches[1].block.y == (parts < 16 ? 1 : 4));
    CHECK(c.launches[1].counters.global_load.bytes_used == parts * kTile);
    CHECK(c.launches[1].counters.global_store.bytes_used == kTile);
  }
}

TEST_CASE("sgemm_tuned: small tiles have 64 FMAs for 4 wide loads, in 2 wavefronts each") {
  const Count c = count<problem::Sgemm>(stream_k<Small, false>, {Small::BM, Small::BN, K});
  CHECK(c.shared_load.requests == 4 * (Small::kBlockSize / kWarpSize) * (K + 1));
  CHECK(c.shared_load.wavefronts == 2 * c.shared_load.requests);
  CHECK(c.barriers == K / Small::BK + 3);
}

TEST_CASE("sgemm_thin: tiles of 16 rows or columns, where sgemm_pipelined has 128 of both") {
  for (const problem::Shape& shape : {problem::Shape{16, 256, K}, problem::Shape{256, 16, K}}) {
    CHECK(count<problem::Sgemm>(sgemm_pipelined, shape).launch().grid.x == 2);
    const Count thin = count<problem::Sgemm>(sgemm_thin, shape);
    CHECK(thin.launch().grid.x == 2);
    // A warp of the one has 32 x 64 elements of C, one of the other 16 x 32: 16 per lane for 2
    // loads.
    CHECK(thin.shared_load.requests == 2 * 2 * 4 * K);
  }
}

TEST_CASE("sgemm_sliced: blocks write parts of C, which a second kernel adds up without atomics") {
  constexpr std::size_t kParts = 6, kRows = 16, kColumns = 128;
  const Count c = count<problem::Sgemm>(sgemm_sliced, {kRows, kColumns, 64 * kParts});
  REQUIRE(c.launches.size() == 2);
  CHECK(c.launches[0].grid.y == kParts);
  CHECK(c.launches[0].counters.global_store.bytes_used ==
        kParts * kRows * kColumns * sizeof(float));
  CHECK(c.launches[1].counters.global_store.bytes_used == kRows * kColumns * sizeof(float));
  CHECK(c.global_atomic.requests == 0);
}

TEST_CASE("sgemm_few_columns: an element of A is loaded once for all columns") {
  constexpr std::size_t kRows = 64, kDepth = 512;
  for (const std::size_t columns : {1, 3, 8, 16}) {
    const Count c = count<problem::Sgemm>(sgemm_few_columns, {kRows, columns, kDepth});
    CHECK(c.at("__ldcs(A + m * lda + i * kWarpSize)").global_load.bytes_used ==
          kRows * kDepth * sizeof(float));
  }
}

TEST_CASE("sgemm_few_rows: an element of B is loaded once for all rows") {
  constexpr std::size_t kDepth = 512;
  for (const std::size_t rows : {1, 2, 3, 8}) {
    for (const std::size_t columns : {256, 300, 512}) {
      const Count c = count<problem::Sgemm>(sgemm_few_rows, {rows, columns, kDepth});
      CHECK(c.at("__ldcs(B + row(i) * ldb)").global_load.bytes_used ==
            columns * kDepth * sizeof(float));
    }
  }
}

TEST_CASE("sgemm_short_k: dense stores, also of rows shorter than a warp, and B loaded once") {
  constexpr std::size_t kRows = 16;
  for (const std::size_t columns : {1, 4, 8, 64, 256}) {
    const Count c = count<problem::Sgemm>(sgemm_short_k, {kRows, columns, 4});
    CHECK(c.global_store.sectors == kRows * columns * sizeof(float) / 32);
    CHECK(c.at("B[k * ldb + col]").global_load.bytes_used <= 256 * 4 * sizeof(float));
  }
}

TEST_CASE("sgemm_short_k: with two columns per thread, half as many loads of A per product") {
  constexpr std::size_t kRows = 64;
  for (const std::size_t depth : {16, 32}) {
    const Count one = count<problem::Sgemm>(sgemm_short_k, {kRows, 256, depth});
    const Count two = count<problem::Sgemm>(sgemm_short_k, {kRows, 512, depth});
    CHECK(two.shared_load.requests == one.shared_load.requests);  // for twice the products
  }
}

TEST_CASE("sgemm_short_k_lines: a quarter of the stores, and no sector in pieces but at the ends") {
  constexpr std::size_t kRows = 16, kDepth = 3;
  for (const std::size_t columns : {512, 1023, 2050}) {
    CAPTURE(columns);
    const Count plain = count<problem::Sgemm>(sgemm_short_k, {kRows, columns, kDepth});
    const Count lines = count<problem::Sgemm>(sgemm_short_k_lines, {kRows, columns, kDepth});
    const std::size_t bytes = kRows * columns * sizeof(float), blocks = (columns - 1) / 512 + 1;
    CHECK(lines.global_store.bytes_used == bytes);
    // A row of a block ends within a line; its first and its last four floats may go one by one.
    CHECK(lines.global_store.sectors <= bytes / 32 + kRows * blocks * 8);
    CHECK(lines.global_store.requests < plain.global_store.requests);
  }
}

TEST_CASE("sgemm_edges: where rows are not aligned, lanes store neighbors") {
  constexpr std::size_t kDepth = Large::BK, kOdd = Large::BN + 1;
  const Count ragged = count<problem::Sgemm>(sgemm_stream_k, {Large::BM, kOdd, kDepth});
  const Count rows = count<problem::Sgemm>(sgemm_edges, {Large::BM, kOdd, kDepth});
  CHECK(rows.global_store.bytes_used == ragged.global_store.bytes_used);
  CHECK(2 * rows.global_store.sectors < ragged.global_store.sectors);
  const Count aligned = count_tile(sgemm_stream_k, kDepth), same = count_tile(sgemm_edges, kDepth);
  CHECK(same.global_store.sectors == aligned.global_store.sectors);
}

TEST_CASE("sgemm_overhang: of a tile that hangs over, C alone is stored") {
  constexpr std::size_t kM = 400, kN = 61, kDepth = 64;
  const TunedChoice choice = choice_of(kTunedTiles[1], false, multiprocessors(), kM, kN, kDepth);
  CHECK(choice.pads_B());
  CHECK_FALSE(choice.pads_A());
  CHECK(choice.workspace_bytes() == workspace_bytes_of(TallTiles::BN * kDepth));
}

TEST_CASE("sgemm_last_slice: a shorter last slice costs no barrier, and one step is copied twice") {
  constexpr std::size_t kWhole = 4 * Large::BK, kDepth = kWhole + Large::BK / 2;
  const auto count_tiles = [](problem::Sgemm::Launch variant, std::size_t depth) {
    return count<problem::Sgemm>(variant, {kSms * Large::BM, Large::BN, depth});  // none is shared
  };
  const Count c = count_tiles(sgemm_last_slice, kDepth);
  CHECK(c.barriers == count_tiles(sgemm_last_slice, kWhole).barriers);
  constexpr std::size_t kStepBytes = (Large::BM + Large::BN) * sizeof(float);
  CHECK(c.global_load.bytes_used == kSms * (kDepth + 1) * kStepBytes);
  const Count before = count_tiles(sgemm_overhang, kDepth);
  CHECK(before.barriers == count_tiles(sgemm_overhang, kWhole).barriers + kSms);
  CHECK(before.global_load.bytes_used == kSms * (kDepth * kStepBytes + 2 * kSliceBytes));
}

TEST_CASE(
    "sgemm_pack: a copy of A has four floats, not one; the panels cost a load and a store each") {
  constexpr std::size_t kDepth = 4 * Large::BK;
  const Count c = count_tile(sgemm_pack, kDepth);
  REQUIRE(c.launches.size() == 3);  // the panels, the product, the fix-up
  const auto& panels = c.launches[0].counters;
  CHECK(panels.global_load.bytes_used == Large::BM * kDepth * sizeof(float));
  constexpr std::size_t kParts = 2 * 4;  // of a tile, for the blocks that share it: one slice each
  const std::size_t stored = Large::BM * kDepth + panel_zeros(Large::BN, kParts);
  CHECK(panels.global_store.bytes_used == stored * sizeof(float));
  CHECK(panels.shared_load.conflicts == 0);
  CHECK(panels.shared_store.conflicts == 0);
  // One slice per block, and three more times for those past the last. 8 warps copy it: 2 rows
  // each, in 1 request for A and 2 for B.
  const auto& product = c.launches[1].counters;
  CHECK(product.global_load.bytes_used == 4 * 4 * kSliceBytes);
  CHECK(product.global_load.requests == 4 * 4 * Large::BK * 3);
}

TEST_CASE("sgemm_wide: 192 FMAs for 7 wide loads, 27 for one instead of 21") {
  using Wide = WideTiles;
  static_assert(Wide::TM * Wide::TN == 192 && Wide::TM / 4 + Wide::TN / 4 == 7);
  constexpr std::size_t kDepth = 8 * Wide::BK;
  const auto wide = [](const float* A, const float* B, float* C, int M, int N, int K,
                       cudaStream_t stream) {
    float* memory = nullptr;
    const std::size_t floats = panel_memory_floats(Wide::BM, Wide::BN, M, K, 0);
    cudaMallocAsync(&memory, floats * sizeof(float), stream);
    sgemm_wide_launch<Wide>(A, B, C, M, N, K, {K / Wide::BK, 0, 0}, memory, stream);
    cudaFreeAsync(memory, stream);
  };
  const Count c = count<problem::Sgemm>(wide, {Wide::BM, Wide::BN, kDepth});
  REQUIRE(c.launches.size() == 2);
  const auto& loads = c.launches[1].counters.shared_load;
  CHECK(loads.requests == 7 * (Wide::kBlockSize / kWarpSize) * (kDepth + 1));
  CHECK(loads.wavefronts == 2 * loads.requests);
}

namespace {
using Tall = WideTallTiles;  // the tile of sgemm_wide and of the kernels behind it

std::vector<harness::LaunchCounters> launches_of(problem::Sgemm::Launch variant, std::size_t rows,
                                                 std::size_t columns, std::size_t slices) {
  return count<problem::Sgemm>(variant, {rows, columns, slices * Tall::BK}).launches;
}
}  // namespace

TEST_CASE("sgemm_persistent: a block for each SM, and no tile has a block of its own") {
  constexpr std::size_t kColumns = (kSms + 1) * Tall::BN, kSlices = 4;
  const auto wide = launches_of(sgemm_wide, Tall::BM, kColumns, kSlices);
  const auto persistent = launches_of(sgemm_persistent, Tall::BM, kColumns, kSlices);
  CHECK(wide[1].grid.x == kSms + kSlices);  // four blocks share the last tile
  CHECK(persistent[1].grid.x == kSms);
}

TEST_CASE("sgemm_sum_inside: no kernel adds up parts, and a tile's owner puts none aside") {
  // 11 tiles for 12 blocks: each but the first one begins in one tile, and ends in the next.
  constexpr std::size_t kTiles = kSms - 1, kColumns = kTiles * Tall::BN;
  const auto before = launches_of(sgemm_persistent, Tall::BM, kColumns, kSms);
  const auto after = launches_of(sgemm_sum_inside, Tall::BM, kColumns, kSms);
  REQUIRE(before.size() == 3);  // the panels, the product, the sums
  REQUIRE(after.size() == 2);
  constexpr std::size_t kTile = Tall::BM * Tall::BN * sizeof(float);
  CHECK(before[1].counters.global_store.bytes_used == 2 * kTiles * kTile);
  CHECK(before[2].counters.global_store.bytes_used == kTiles * kTile);
  CHECK(after[1].counters.global_store.bytes_used == 2 * kTiles * kTile);
  CHECK(after[1].counters.global_atomic.requests == kTiles * Tall::kBlockSize / kWarpSize);
}

TEST_CASE(
    "sgemm_two_widths: narrow tiles take 6 loads instead of 7, and nothing is computed twice") {
  constexpr std::size_t kRows = 2, kColumns = 4 * Tall::BN + Tall::BN / 3 * 2, kSlices = 16;
  constexpr std::size_t kDepth = kSlices * Tall::BK;
  const auto launches = launches_of(sgemm_two_widths, kRows * Tall::BM, kColumns, kSlices);
  REQUIRE(launches.size() == 2);
  const TwoWidths shares = make_two_widths<Tall>(kRows * Tall::BM, kColumns, kDepth, kSms);
  REQUIRE(shares.narrow == kRows);
  CHECK(shares.shared * Tall::BN + shares.narrow * Narrow<Tall>::BN == kRows * kColumns);
  std::size_t wide_parts = shares.shared;
  for (int block = 1; block < kSms; ++block) wide_parts += shares.begin(block) % kSlices != 0;
  // Each part loads once more, before its first step along K.
  const std::size_t wide = 7 * (shares.shared * kDepth + wide_parts);
  const std::size_t narrow = 6 * shares.narrow * (kDepth + 1);
  CHECK(launches[1].counters.shared_load.requests ==
        Tall::kBlockSize / kWarpSize * (wide + narrow));
}
