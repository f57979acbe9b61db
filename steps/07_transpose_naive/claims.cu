// The chapter's claims about its kernels, counted.
#include "harness/claims.h"
#include "kernels.h"

using harness::Count;
using harness::count;

TEST_CASE("sectors per request: 4 one way, 32 the other; the sum is the same") {
  const Count read = count<problem::Transpose>(transpose_read_coalesced, {256, 128});
  CHECK(read.global_load.sectors_per_request() == 4);
  CHECK(read.global_store.sectors_per_request() == 32);
  const Count write = count<problem::Transpose>(transpose_write_coalesced, {256, 128});
  CHECK(write.global_load.sectors_per_request() == 32);
  CHECK(write.global_store.sectors_per_request() == 4);
  CHECK(read.global_load.sectors + read.global_store.sectors ==
        write.global_load.sectors + write.global_store.sectors);
}

TEST_CASE("the strided side uses 4 of the 32 bytes of a sector") {
  const Count read = count<problem::Transpose>(transpose_read_coalesced, {256, 128});
  CHECK(read.global_load.efficiency() == 1);
  CHECK(read.global_store.efficiency() == 4.0 / 32);
  const Count write = count<problem::Transpose>(transpose_write_coalesced, {256, 128});
  CHECK(write.global_load.efficiency() == 4.0 / 32);
  CHECK(write.global_store.efficiency() == 1);
}

TEST_CASE("5 instead of 4 where a row does not start at a sector's edge") {
  const Count read = count<problem::Transpose>(transpose_read_coalesced, {256, 128}, {1, 0});
  CHECK(read.global_load.sectors_per_request() == 5);
  const Count write = count<problem::Transpose>(transpose_write_coalesced, {256, 128}, {0, 1});
  CHECK(write.global_store.sectors_per_request() == 5);
  // 132 columns: every second row starts in the middle of a sector, and each ends with 4 floats.
  const Count odd = count<problem::Transpose>(transpose_read_coalesced, {256, 132});
  CHECK(odd.global_load.sectors == 128 * (4 * 4 + 1) + 128 * (4 * 5 + 1));
}

TEST_CASE("all tiles lie along x") {
  const Count c = count<problem::Transpose>(transpose_read_coalesced, {33, 65});
  CHECK(c.launch().grid.x == 2 * 3);
  CHECK(c.launch().grid.y == 1);
}

// With a smaller tile a warp covers several rows, so its lanes have neighbors in both directions.
template <int kTile>
void launch(const float* in, float* out, std::size_t rows, std::size_t cols, cudaStream_t stream) {
  const auto tiles_across = static_cast<unsigned>(cols / kTile);
  const auto blocks = tiles_across * static_cast<unsigned>(rows / kTile);
  const dim3 block(kTile, kTile);
  const auto kernel = transpose_read_coalesced_kernel<kTile>;
  kernel<<<blocks, block, 0, stream>>>(in, out, rows, cols, tiles_across);
}

TEST_CASE("tiles of 16 and 8 halve and quarter the store's sectors") {
  const auto sectors_of_a_store = [](problem::Transpose::Launch launch) {
    const Count c = count<problem::Transpose>(launch, {256, 128});
    CHECK(c.global_load.sectors_per_request() == 4);
    return c.global_store.sectors_per_request();
  };
  CHECK(sectors_of_a_store(launch<32>) == 32);
  CHECK(sectors_of_a_store(launch<16>) == 16);
  CHECK(sectors_of_a_store(launch<8>) == 8);
}
