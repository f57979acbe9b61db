// What the chapter says of its kernels, counted.
#include "harness/claims.h"
#include "rungs.h"

using harness::Count;
using harness::count;

constexpr std::size_t kRows = 16;
constexpr std::size_t kCols = 1024;

namespace {
// How often each element of x is read, for kernels that read nothing else from global memory.
double reads_of_x(problem::Softmax::Launch launch, const problem::Shape& shape) {
  const Count c = count<problem::Softmax>(launch, shape);
  return static_cast<double>(c.global_load.bytes) /
         static_cast<double>(sizeof(float) * shape[0] * shape[1]);
}
}  // namespace

TEST_CASE("a row is read 3 times, then 2 times, then once") {
  // Maxima and sums are read from global memory, too.
  const problem::Shape shape = {kRows, 3 * kPiece};
  const Count three = count<problem::Softmax>(softmax_three_kernels, shape);
  CHECK(three.at("x[piece.first + col]").global_load.threads == 3 * shape[0] * shape[1]);

  CHECK(reads_of_x(softmax_warp_shared, {kRows, kCols}) == 3);
  CHECK(reads_of_x(softmax_warp_shuffle, {kRows, kCols}) == 3);
  CHECK(reads_of_x(softmax_online, {kRows, kCols}) == 2);
  CHECK(reads_of_x(softmax_warp_packed, {kRows, kCols}) == 1);
  CHECK(reads_of_x(softmax_block, {kRows, kCols}) == 1);
  CHECK(reads_of_x(softmax_cluster, {kRows, kCols}) == 1);
  CHECK(reads_of_x(softmax_cluster, {2, kMaxBlockCols}) == 1);
  CHECK(reads_of_x(softmax, {kRows, kCols}) == 1);
}

TEST_CASE("and where rows do not start on 16 bytes, as often") {
  CHECK(reads_of_x(softmax_online, {kRows, 1023}) == 2);
  CHECK(reads_of_x(softmax_warp_packed, {kRows, 1023}) == 1);
  CHECK(reads_of_x(softmax_block, {kRows, 1023}) == 1);
  CHECK(reads_of_x(softmax_cluster, {kRows, 1023}) == 1);
}

TEST_CASE("softmax_warp_shuffle: no shared memory and no barrier, for just as many shuffles") {
  const Count shared = count<problem::Softmax>(softmax_warp_shared, {kRows, kCols});
  CHECK(shared.shared_store.threads == 2 * kRows);
  CHECK(shared.warp_syncs == 2 * kRows);

  const Count shuffle = count<problem::Softmax>(softmax_warp_shuffle, {kRows, kCols});
  CHECK(shuffle.shared_load.requests + shuffle.shared_store.requests == 0);
  CHECK(shuffle.warp_syncs + shuffle.barriers == 0);
  CHECK(shuffle.shuffles == 10 * kRows);
  CHECK(shuffle.shuffles == shared.shuffles);
}

TEST_CASE("softmax_warp_packed: no shared memory and no barrier, 128-bit accesses") {
  const Count c = count<problem::Softmax>(softmax_warp_packed, {kRows, kCols});
  CHECK(c.shared_load.requests + c.shared_store.requests == 0);
  CHECK(c.warp_syncs + c.barriers == 0);
  for (const harness::AccessCount& access : {c.global_load, c.global_store}) {
    CHECK(access.width() == sizeof(float4));
    CHECK(access.efficiency() == 1);
  }
}

TEST_CASE(
    "softmax_warp_packed: where nothing is cut short, a block is a warp with 32 floats a lane") {
  for (const std::size_t cols : {64, 128, 256, 512, 1024}) {
    const Count whole = count<problem::Softmax>(softmax_warp_packed, {256, cols});
    CHECK(whole.launch().block.x == 32);
    CHECK(whole.launch().grid.x == 256 * cols / (32 * 32));
    CHECK(count<problem::Softmax>(softmax_warp_packed, {256, cols - 4}).launch().block.x == 64);
  }
  CHECK(count<problem::Softmax>(softmax_warp_packed, {257, 128}).launch().block.x == 64);
}

TEST_CASE("softmax_cluster: one barrier a row, 128-bit accesses wherever a row starts") {
  const Count c = count<problem::Softmax>(softmax_cluster, {kRows, 4096});
  CHECK(c.barriers == kRows);
  CHECK(c.global_load.width() == sizeof(float4));
  CHECK(c.global_store.width() == sizeof(float4));
  // All but the ends of a row that are not whole packs: fewer than four floats each.
  const Count odd = count<problem::Softmax>(softmax_cluster, {kRows, 4095});
  CHECK(odd.barriers == kRows);
  CHECK(odd.global_load.threads < kRows * (4096 / 4 + 6));
  CHECK(odd.global_store.threads < kRows * (4096 / 4 + 6));
}

TEST_CASE("a row of 20 is given to 8 lanes: a warp has four rows at a time, twice") {
  const Count c = count<problem::Softmax>(softmax_warp_packed, {64, 20});
  constexpr std::uint64_t kWarpsThere = 64 / 4;
  CHECK(c.global_load.requests == kWarpsThere);
  CHECK(c.global_load.threads_per_request() == 4 * 5);  // packs
  CHECK(c.shuffles == (3 + 3) * kWarpsThere);           // over 8 lanes
}

TEST_CASE("softmax_block: two barriers a row; a row of more than 48 KiB can be had, too") {
  CHECK(count<problem::Softmax>(softmax_block, {kRows, kCols}).barriers == 2 * kRows);
  const Count large = count<problem::Softmax>(softmax_block, {2, 20000});
  CHECK(large.launch().kernel == "softmax_block_kernel");
  CHECK(large.barriers == 2 * 2);
}

TEST_CASE("softmax takes the kernel for the shape") {
  const auto kernel = [](problem::Softmax::Launch launch, const problem::Shape& shape) {
    return count<problem::Softmax>(launch, shape).launches.at(0).kernel;
  };
  CHECK(kernel(softmax, {2, kShortRow}) == "softmax_warp_packed_kernel");
  CHECK(kernel(softmax, {2, kShortRow + 1}) == "softmax_cluster_kernel");
  CHECK(kernel(softmax, {1, kMaxBlockCols}) == "softmax_cluster_kernel");
  // Too long for that, here where there are no clusters.
  const std::size_t quarter = multiprocessors() / 4;
  REQUIRE(quarter > 1);  // meson.build sees to it
  CHECK(kernel(softmax, {quarter - 1, kManyPieces}) == "softmax_max_kernel");
  CHECK(kernel(softmax, {quarter - 1, kManyPieces - 1}) == "softmax_online_kernel");
  CHECK(kernel(softmax, {quarter, kManyPieces}) == "softmax_online_kernel");
  // Rows that the others have no room for.
  CHECK(kernel(softmax_warp_packed, {2, 1025}) == "softmax_online_kernel");
  CHECK(kernel(softmax_block, {2, 60000}) == "softmax_online_kernel");
  CHECK(kernel(softmax_cluster, {2, 300000}) == "softmax_online_kernel");
}
