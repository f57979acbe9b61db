// What the chapter says of the products of a matrix and a vector, counted.
#include "harness/claims.h"
#include "rungs.h"

using harness::Count;
using harness::count;
using harness::Counters;

TEST_CASE("a warp a row: A and x by as many requests, and no shared memory") {
  const Count c = count<problem::Gemv>(gemv_warp, {64, 1024});
  CHECK(c.global_load.requests == 2 * 64 * 1024 / 32);
  CHECK(c.global_load.sectors_per_request() == 4);
  CHECK(c.global_store.threads == 64);
  CHECK(c.shuffles == 5 * 64);
  CHECK(c.barriers == 0);
  CHECK(c.shared_load.requests + c.shared_store.requests == 0);
}

TEST_CASE("packs of four: a quarter of the requests, the same sectors") {
  const Count narrow = count<problem::Gemv>(gemv_warp, {64, 1024});
  const Count wide = count<problem::Gemv>(gemv_warp_float4, {64, 1024});
  CHECK(narrow.global_load.requests == 4 * wide.global_load.requests);
  CHECK(narrow.global_load.sectors == wide.global_load.sectors);
}

TEST_CASE("where a row does not start on 16 bytes, the scalar kernel does it") {
  CHECK(count<problem::Gemv>(gemv_warp_float4, {8, 128}).launch().kernel ==
        "gemv_warp_float4_kernel");
  CHECK(count<problem::Gemv>(gemv_warp_float4, {8, 127}).launch().kernel == "gemv_warp_kernel");
  for (const problem::Offsets& offsets : {problem::Offsets{1, 0, 0}, problem::Offsets{0, 1, 0}}) {
    CHECK(count<problem::Gemv>(gemv_warp_float4, {8, 128}, offsets).launch().kernel ==
          "gemv_warp_kernel");
  }
}

namespace {
// Elements of x that are loaded for each element of A.
double loads_of_x(const Count& c) {
  const Counters of_a = c.at("v[ahead][r] = __ldcs(rows[r] + i)");
  const Counters of_x = c.at("of_x = i < packs ? x_packs[i]");
  return static_cast<double>(of_x.global_load.bytes) / static_cast<double>(of_a.global_load.bytes);
}
}  // namespace

TEST_CASE(
    "gemv: a block of 512, 256 or 128 takes a row; one of 256, eight rows, or 32 short ones") {
  struct Case {
    std::size_t columns;
    unsigned threads;
    unsigned rows;  // of a block
    bool barrier;
    double loads_of_x;
  };
  for (const Case& expected :
       {Case{4096, 512, 1, true, 1}, Case{4092, 256, 1, true, 1}, Case{2048, 256, 1, true, 1},
        Case{2044, 128, 1, true, 1}, Case{1024, 128, 1, true, 1}, Case{1020, 256, 8, false, 1},
        Case{256, 256, 8, false, 1}, Case{252, 256, 32, false, 0.25}}) {
    CAPTURE(expected.columns);
    constexpr unsigned kRows = 64;
    const Count c = count<problem::Gemv>(gemv, {kRows, expected.columns});
    CHECK(c.launch().block.x == expected.threads);
    CHECK(c.launch().grid.x == kRows / expected.rows);
    CHECK(c.barriers == (expected.barrier ? kRows : 0));
    CHECK(loads_of_x(c) == expected.loads_of_x);
    CHECK(c.global_atomic.requests == 0);
  }
}
