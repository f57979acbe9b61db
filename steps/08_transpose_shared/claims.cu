// What the chapter says of its kernels, counted.
#include "harness/claims.h"
#include "rungs.h"

using harness::Count;
using harness::count;

constexpr std::size_t kRows = 256;
constexpr std::size_t kCols = 128;

namespace {
// How many blocks transpose has for its tiles, of which the first and the last are halved.
std::size_t blocks_of_tiles(std::size_t tiles) {
  return tiles + 2 * (std::min<std::size_t>(multiprocessors(), tiles) / 2);
}
}  // namespace

TEST_CASE("both sides of global memory are coalesced: 4 sectors") {
  for (const auto variant : {transpose_tile, transpose_tile_padded, transpose_tile_swizzled}) {
    const Count c = count<problem::Transpose>(variant, {kRows, kCols});
    for (const harness::AccessCount& access : {c.global_load, c.global_store}) {
      CHECK(access.sectors_per_request() == 4);
      CHECK(access.efficiency() == 1);
    }
  }
}

TEST_CASE("a 32-way conflict in loads from the tile; padding cures it, swizzling too") {
  const auto wavefronts = [](problem::Transpose::Launch variant) {
    const Count c = count<problem::Transpose>(variant, {kRows, kCols});
    CHECK(c.shared_store.wavefronts_per_request() == 1);
    CHECK(c.shared_store.conflicts == 0);
    CHECK(c.shared_load.conflicts == c.shared_load.wavefronts - c.shared_load.requests);
    return c.shared_load.wavefronts_per_request();
  };
  CHECK(wavefronts(transpose_tile) == 32);
  CHECK(wavefronts(transpose_tile_padded) == 1);
  CHECK(wavefronts(transpose_tile_swizzled) == 1);
  CHECK(wavefronts(transpose_tile_vectorized) == 1);
}

TEST_CASE("transpose_tile_vectorized: a quarter of the requests, 16 sectors each") {
  const Count narrow = count<problem::Transpose>(transpose_tile, {kRows, kCols});
  const Count wide = count<problem::Transpose>(transpose_tile_vectorized, {kRows, kCols});
  CHECK(narrow.global_load.requests == 4 * wide.global_load.requests);
  CHECK(narrow.global_store.requests == 4 * wide.global_store.requests);
  for (const harness::AccessCount& access : {wide.global_load, wide.global_store}) {
    CHECK(access.width() == sizeof(float4));
    CHECK(access.sectors_per_request() == 16);
    CHECK(access.efficiency() == 1);
  }
}

TEST_CASE("transpose_tile_vectorized: a thread asks for 64 bytes; a block of 256 has 64 x 64") {
  const Count c = count<problem::Transpose>(transpose_tile_vectorized, {kRows, kCols});
  CHECK(c.launch().block.x == 256);
  CHECK(c.launch().grid.x == kRows / 64 * (kCols / 64));
  CHECK(c.global_load.bytes == 64 * 256 * c.launch().grid.x);
}

TEST_CASE(
    "one more sector for each piece of a row that starts inside one: 5, and 20 of four rows") {
  const Count narrow = count<problem::Transpose>(transpose_tile, {kRows, kCols}, {4, 4});
  const Count wide = count<problem::Transpose>(transpose_tile_vectorized, {kRows, kCols}, {4, 4});
  CHECK(narrow.global_load.sectors_per_request() == 5);
  CHECK(narrow.global_store.sectors_per_request() == 5);
  CHECK(wide.global_load.sectors_per_request() == 20);
  CHECK(wide.global_store.sectors_per_request() == 20);
}

TEST_CASE("each side has packs if its rows start on 16 bytes") {
  const auto widths = [](const problem::Shape& shape, const problem::Offsets& offsets) {
    const Count c = count<problem::Transpose>(transpose_tile_vectorized, shape, offsets);
    CHECK(c.shared_load.conflicts == 0);
    CHECK(c.shared_store.conflicts == 0);
    return std::pair(c.global_load.width(), c.global_store.width());
  };
  CHECK(widths({64, 64}, {}) == std::pair(16.0, 16.0));
  CHECK(widths({64, 63}, {}) == std::pair(4.0, 16.0));
  CHECK(widths({63, 64}, {}) == std::pair(16.0, 4.0));
  CHECK(widths({64, 64}, {1, 0}) == std::pair(4.0, 16.0));
  CHECK(widths({64, 64}, {0, 1}) == std::pair(16.0, 4.0));
}

TEST_CASE("one barrier a block") {
  for (const auto variant : {transpose_tile, transpose_tile_padded, transpose_tile_swizzled,
                             transpose_tile_vectorized}) {
    const Count c = count<problem::Transpose>(variant, {kRows, kCols});
    CHECK(c.barriers == c.launch().grid.x);
  }
}

TEST_CASE(
    "transpose: tiles of 128 x 128, cut at sectors; no bank conflict, whichever way rows lie") {
  for (const std::size_t rows : {384, 385, 387, 391}) {
    const Count c = count<problem::Transpose>(transpose, {rows, 256});
    CHECK(c.launch().kernel == "transpose_cut_kernel");
    CHECK(c.launch().grid.x == blocks_of_tiles((rows + 127) / 128 * 2));
    CHECK(c.shared_load.conflicts == 0);
    CHECK(c.shared_store.conflicts == 0);
  }
}

TEST_CASE("transpose: a tile of 128 rows of 129 words") { CHECK(cut_shared_bytes(0) == 66048); }

TEST_CASE("transpose: as many tiles as half the multiprocessors are halved, at both ends") {
  for (const std::size_t tiles :
       {std::size_t{1}, std::size_t{3}, std::size_t{2 * multiprocessors()}}) {
    const Count c = count<problem::Transpose>(transpose, {128 * tiles, 128});
    CHECK(c.launch().grid.x == blocks_of_tiles(tiles));
    CHECK(c.global_load.bytes == 128 * tiles * 128 * sizeof(float));
  }
}

TEST_CASE(
    "transpose: a block loads 8 rows of another once more, and none where all rows start on "
    "sectors") {
  const auto loaded = [](const problem::Offsets& offsets) {
    return count<problem::Transpose>(transpose, {384, 128}, offsets).global_load.bytes /
           (128 * sizeof(float));
  };
  CHECK(loaded({}) == 384);
  CHECK(loaded({0, 8}) == 384);
  CHECK(loaded({0, 1}) == 384 + (blocks_of_tiles(3) - 1) * 8);
}

TEST_CASE("transpose: an output row is written sector by sector, but for its ends") {
  constexpr std::size_t kOddRows = 711, kSectors = 711 / 8 + 1;  // in a row that starts on a sector
  const auto sectors_of_row = [](problem::Transpose::Launch variant) {
    const Count c = count<problem::Transpose>(variant, {kOddRows, 128});
    return static_cast<double>(c.global_store.sectors) / 128;
  };
  CHECK(sectors_of_row(transpose) < kSectors + 2);
  CHECK(sectors_of_row(transpose_tile_vectorized) >= 1.2 * kSectors);
}

TEST_CASE(
    "transpose: thin matrices by warps, without a barrier; those that allow no packs as before") {
  const Count thin = count<problem::Transpose>(transpose, {1000, 32});
  CHECK(thin.launch().kernel == "transpose_thin_kernel");
  CHECK(thin.launch().grid.x == 16);
  CHECK(thin.barriers == 0);
  CHECK(thin.global_load.width() == sizeof(float4));
  CHECK(thin.shared_load.conflicts + thin.shared_store.conflicts == 0);
  CHECK(count<problem::Transpose>(transpose, {36, 1000}).launch().kernel ==
        "transpose_thin_kernel");
  CHECK(count<problem::Transpose>(transpose, {33, 1000}).launch().kernel ==
        "transpose_tile_vectorized_kernel");
}

TEST_CASE("transpose: few rows, 512 bytes of one with each load") {
  for (const std::size_t rows : {32, 28, 4}) {
    const Count flat = count<problem::Transpose>(transpose, {rows, 1024});
    CHECK(flat.launch().kernel == "transpose_flat_kernel");
    CHECK(flat.launch().grid.x == 1024 / 128);
    CHECK(flat.global_load.requests == rows * 1024 / 128);
    CHECK(flat.global_load.sectors_per_request() == 16);
    CHECK(flat.global_store.width() == sizeof(float4));
    CHECK(flat.shared_load.conflicts + flat.shared_store.conflicts == 0);
  }
}
