// The chapter's claims about its kernels, counted.
#include <algorithm>
#include <utility>

#include "../instructions/device_attributes.cuh"
#include "harness/claims.h"
#include "launchers.h"

using harness::Count;
using harness::count;

constexpr std::size_t kRows = 256;
constexpr std::size_t kCols = 128;

namespace {
// How many blocks transpose_halves has for its tiles, of which the first and the last are halved.
std::size_t blocks_of_tiles(std::size_t tiles) {
  return tiles + 2 * (std::min<std::size_t>(multiprocessors(), tiles) / 2);
}

// The rungs that cut the output at sectors.
constexpr harness::Launcher<problem::Transpose> kCut[] = {
    transpose_cut, transpose_inside, transpose_fetch, transpose_lines, transpose_halves};
}  // namespace

TEST_CASE("both sides of global memory are coalesced: 4 sectors") {
  for (const auto rung :
       {transpose_tile, transpose_tile_padded, transpose_tile_swizzled, transpose_tile_in_flight,
        transpose_tile_large, transpose_carveout, transpose_down_first, transpose_cut,
        transpose_inside, transpose_fetch, transpose_lines, transpose_halves}) {
    const Count c = count<problem::Transpose>(rung, {kRows, kCols});
    for (const harness::AccessCount& access : {c.global_load, c.global_store}) {
      CHECK(access.sectors_per_request() == 4);
      CHECK(access.efficiency() == 1);
    }
  }
}

TEST_CASE("a 32-way conflict in loads from the tile; padding cures it, swizzling too") {
  const auto wavefronts = [](problem::Transpose::Launch rung) {
    const Count c = count<problem::Transpose>(rung, {kRows, kCols});
    CHECK(c.shared_store.wavefronts_per_request() == 1);
    CHECK(c.shared_store.conflicts == 0);
    CHECK(c.shared_load.conflicts == c.shared_load.wavefronts - c.shared_load.requests);
    return c.shared_load.wavefronts_per_request();
  };
  CHECK(wavefronts(transpose_tile) == 32);
  for (const auto rung : {transpose_tile_padded, transpose_tile_swizzled, transpose_tile_in_flight,
                          transpose_tile_wide_loads, transpose_tile_vectorized,
                          transpose_tile_large, transpose_carveout, transpose_down_first,
                          transpose_thin, transpose_thin_inside, transpose_thin_streaming}) {
    CHECK(wavefronts(rung) == 1);
  }
  for (const auto rung : kCut) CHECK(wavefronts(rung) == 1);
}

constexpr unsigned kMostPadding = 32;

// The accesses of transpose_tile_padded to a tile of 16 x 16 with rows of `pitch` words.
__global__ void narrow_tile_kernel(float* out, unsigned pitch) {
  __shared__ float tile[16 * (16 + kMostPadding)];
  tile[threadIdx.y * pitch + threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x * pitch + threadIdx.y];
}

Count narrow_tile(unsigned pitch) {
  float* out = nullptr;
  cudaMalloc(&out, 256 * sizeof(float));
  const Count c = count([=] { narrow_tile_kernel<<<1, dim3(16, 16)>>>(out, pitch); });
  cudaFree(out);
  return c;
}

TEST_CASE("a tile of 16 x 16 has conflicts on one side, whatever its padding of up to 32 words") {
  for (unsigned padding = 0; padding <= kMostPadding; ++padding) {
    CAPTURE(padding);
    const Count c = narrow_tile(16 + padding);
    CHECK(c.shared_load.conflicts + c.shared_store.conflicts > 0);
    if (padding == 0) CHECK(c.shared_store.conflicts == 0);
    if (padding == 1) CHECK(c.shared_load.wavefronts_per_request() == 2);
    if (padding == 1) CHECK(c.shared_store.wavefronts_per_request() == 2);
    if (padding == 2) CHECK(c.shared_load.conflicts == 0);
  }
}

TEST_CASE("several elements per thread: as many requests, a thread asks for 64 bytes, or 256") {
  const Count one = count<problem::Transpose>(transpose_tile_swizzled, {kRows, kCols});
  CHECK(one.launch().block.x * one.launch().block.y == 1024);
  CHECK(one.launch().grid.x == kRows / 32 * (kCols / 32));
  for (const auto& [rung, side] :
       {std::pair(transpose_tile_in_flight, 64), std::pair(transpose_tile_large, 128)}) {
    const Count c = count<problem::Transpose>(rung, {kRows, kCols});
    CHECK(c.global_load.requests == one.global_load.requests);
    CHECK(c.global_store.requests == one.global_store.requests);
    CHECK(c.launch().block.x == 256);
    CHECK(c.launch().grid.x == kRows / side * (kCols / side));
    CHECK(c.global_load.bytes == side * side / 256 * sizeof(float) * 256 * c.launch().grid.x);
  }
}

TEST_CASE(
    "128-bit accesses: a quarter of the requests, 16 sectors each; first loads, then stores") {
  const Count narrow = count<problem::Transpose>(transpose_tile_in_flight, {kRows, kCols});
  const Count loads = count<problem::Transpose>(transpose_tile_wide_loads, {kRows, kCols});
  const Count both = count<problem::Transpose>(transpose_tile_vectorized, {kRows, kCols});
  CHECK(loads.global_store.requests == narrow.global_store.requests);
  CHECK(loads.global_store.width() == sizeof(float));
  CHECK(both.global_store.requests * 4 == narrow.global_store.requests);
  CHECK(both.global_load.requests == loads.global_load.requests);
  CHECK(loads.global_load.requests * 4 == narrow.global_load.requests);
  for (const harness::AccessCount& access :
       {loads.global_load, both.global_load, both.global_store}) {
    CHECK(access.width() == sizeof(float4));
    CHECK(access.sectors_per_request() == 16);
    CHECK(access.efficiency() == 1);
  }
}

TEST_CASE("a row that starts inside a sector touches one more: 5, and 20 for four rows") {
  const Count narrow = count<problem::Transpose>(transpose_tile, {kRows, kCols}, {4, 4});
  const Count wide = count<problem::Transpose>(transpose_tile_vectorized, {kRows, kCols}, {4, 4});
  CHECK(narrow.global_load.sectors_per_request() == 5);
  CHECK(narrow.global_store.sectors_per_request() == 5);
  CHECK(wide.global_load.sectors_per_request() == 20);
  CHECK(wide.global_store.sectors_per_request() == 20);
}

TEST_CASE("each side has packs if its rows start on 16 bytes") {
  for (const auto rung : {transpose_tile_vectorized, transpose_thin, transpose_thin_inside}) {
    const auto widths = [&](const problem::Shape& shape, const problem::Offsets& offsets) {
      const Count c = count<problem::Transpose>(rung, shape, offsets);
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
}

TEST_CASE("one barrier per block; where a warp has a tile of its own, none") {
  for (const auto rung :
       {transpose_tile, transpose_tile_padded, transpose_tile_swizzled, transpose_tile_in_flight,
        transpose_tile_wide_loads, transpose_tile_vectorized, transpose_tile_large,
        transpose_carveout, transpose_down_first, transpose_flat, transpose_flat_streaming}) {
    const Count c = count<problem::Transpose>(rung, {kRows, kCols});
    CHECK(c.barriers == c.launch().grid.x);
  }
  for (const auto rung : {transpose_thin, transpose_thin_inside, transpose_thin_streaming}) {
    const Count c = count<problem::Transpose>(rung, {1000, 32});
    CHECK(c.launch().grid.x == 16);  // for 32 tiles
    CHECK(c.barriers == 0);
    CHECK(c.warp_syncs == 32);
  }
}

TEST_CASE("cut at sectors: tiles of 128 x 128, no bank conflict, whichever way rows lie") {
  for (const std::size_t rows : {384, 385, 387, 391}) {
    const std::size_t tiles = (rows + 127) / 128 * 2;
    for (const auto rung : kCut) {
      const Count c = count<problem::Transpose>(rung, {rows, 256});
      CHECK(c.launch().grid.x == (rung == transpose_halves ? blocks_of_tiles(tiles) : tiles));
      CHECK(c.shared_load.conflicts == 0);
      CHECK(c.shared_store.conflicts == 0);
    }
  }
}

TEST_CASE("cut at sectors: a block loads 8 rows of another once more, or none where rows fit") {
  const auto rows_loaded = [](problem::Transpose::Launch rung, const problem::Offsets& offsets) {
    return count<problem::Transpose>(rung, {384, 128}, offsets).global_load.bytes /
           (128 * sizeof(float));
  };
  for (const auto rung : kCut) {
    CHECK(rows_loaded(rung, {}) == 384);
    CHECK(rows_loaded(rung, {0, 8}) == 384);
    const std::size_t blocks = rung == transpose_halves ? blocks_of_tiles(3) : 3;
    CHECK(rows_loaded(rung, {0, 1}) == 384 + (blocks - 1) * 8);
  }
}

TEST_CASE("cut at sectors: an output row is written sector by sector, except its ends") {
  constexpr std::size_t kOddRows = 711, kSectors = 711 / 8 + 1;  // in a row that starts on a sector
  const auto sectors_of_row = [](problem::Transpose::Launch rung) {
    const Count c = count<problem::Transpose>(rung, {kOddRows, 128});
    return static_cast<double>(c.global_store.sectors) / 128;
  };
  for (const auto rung : kCut) CHECK(sectors_of_row(rung) < kSectors + 2);
  CHECK(sectors_of_row(transpose_tile_vectorized) >= 1.2 * kSectors);
  CHECK(sectors_of_row(transpose_down_first) >= 1.1 * kSectors);
}

TEST_CASE("halves: as many tiles as half the SMs are halved, at both ends") {
  for (const std::size_t tiles :
       {std::size_t{1}, std::size_t{3}, std::size_t(2 * multiprocessors())}) {
    const Count c = count<problem::Transpose>(transpose_halves, {128 * tiles, 128});
    CHECK(c.launch().grid.x == blocks_of_tiles(tiles));
    CHECK(c.global_load.bytes == 128 * tiles * 128 * sizeof(float));
  }
}

TEST_CASE("few rows: 512 bytes of one with each load") {
  for (const auto rung : {transpose_flat, transpose_flat_streaming}) {
    for (const std::size_t rows : {32, 28, 4}) {
      const Count flat = count<problem::Transpose>(rung, {rows, 1024});
      CHECK(flat.launch().grid.x == 1024 / 128);
      CHECK(flat.global_load.requests == rows * 1024 / 128);
      CHECK(flat.global_load.sectors_per_request() == 16);
      CHECK(flat.global_store.width() == sizeof(float4));
      CHECK(flat.shared_load.conflicts + flat.shared_store.conflicts == 0);
    }
  }
}

TEST_CASE("fitted: the thin side of the matrix is the tile's, and every lane has an element") {
  for (const problem::Shape& shape : {problem::Shape{960, 17}, problem::Shape{17, 960}}) {
    const Count c = count<problem::Transpose>(transpose_tile_fitted, shape);
    CHECK(c.launch().grid.x == 2);  // of 480 x 17
    CHECK(c.barriers == 2);
    CHECK(c.global_store.bytes == 960 * 17 * sizeof(float));
    CHECK(c.global_store.sectors_per_request() < 6);
  }
}

TEST_CASE("transpose: the rung for the shape") {
  const auto chosen = [](const problem::Shape& shape, const problem::Offsets& offsets = {}) {
    return count<problem::Transpose>(transpose, shape, offsets).launch().kernel;
  };
  CHECK(chosen({640, 641}) == "transpose_halves_kernel");
  CHECK(chosen({640, 640}) == "transpose_tile_vectorized_kernel");
  CHECK(chosen({515, 333}) == "transpose_tile_vectorized_kernel");
  // 48 tiles of transpose_tile_padded are two turns of the 12 SMs.
  CHECK(chosen({384, 124}) == "transpose_tile_padded_kernel");
  CHECK(chosen({388, 124}) == "transpose_thin_streaming_kernel");
  CHECK(chosen({1, 1536}) == "transpose_tile_padded_kernel");
  CHECK(chosen({1, 1537}) == "transpose_tile_fitted_kernel");
  CHECK(chosen({2000, 32}) == "transpose_thin_streaming_kernel");
  CHECK(chosen({36, 1000}) == "transpose_thin_streaming_kernel");
  CHECK(chosen({32, 2000}) == "transpose_flat_streaming_kernel");
  CHECK(chosen({33, 2000}) == "transpose_tile_fitted_kernel");
  CHECK(chosen({32, 2000}, {1, 0}) == "transpose_tile_fitted_kernel");
  CHECK(chosen({1001, 64}) == "transpose_tile_fitted_kernel");
  CHECK(chosen({1001, 65}) == "transpose_halves_kernel");
}
