// The chapter's claims about the products of a matrix and a vector, counted.
#include "harness/claims.h"
#include "kernels.h"

using harness::Count;
using harness::count;

TEST_CASE("a warp per row: A and x by as many requests, and no shared memory") {
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
  for (const auto& kernel : {gemv_warp_float4, gemv_warp_streaming, gemv_warp_ahead}) {
    const Count wide = count<problem::Gemv>(kernel, {64, 1024});
    CHECK(narrow.global_load.requests == 4 * wide.global_load.requests);
    CHECK(narrow.global_load.sectors == wide.global_load.sectors);
  }
}

TEST_CASE("where a row does not start on 16 bytes, a pack is one float") {
  for (const auto& kernel :
       {gemv_warp_float4, gemv_warp_streaming, gemv_warp_ahead, gemv_warp_rows, gemv_block}) {
    CHECK(count<problem::Gemv>(kernel, {8, 128}).global_load.width() == sizeof(float4));
    CHECK(count<problem::Gemv>(kernel, {8, 127}).global_load.width() == sizeof(float));
    for (const problem::Offsets& offsets : {problem::Offsets{1, 0, 0}, problem::Offsets{0, 1, 0}}) {
      CHECK(count<problem::Gemv>(kernel, {8, 128}, offsets).global_load.width() == sizeof(float));
    }
  }
}

TEST_CASE("gemv_warp_rows: x is loaded for four rows at once, and four lanes store side by side") {
  constexpr std::size_t kRows = 64;
  const Count scalar = count<problem::Gemv>(gemv_warp, {kRows, 128});
  CHECK(scalar.global_load.requests == 2 * 256);
  CHECK(scalar.global_store.requests == kRows);
  const Count one = count<problem::Gemv>(gemv_warp_streaming, {kRows, 128});
  const Count four = count<problem::Gemv>(gemv_warp_rows, {kRows, 128});
  CHECK(one.global_load.requests == 2 * kRows);  // of A and of x
  CHECK(four.at("__ldcs(rows[r] + i)").global_load.requests == kRows);
  CHECK(four.global_load.requests == kRows + kRows / 4);
  CHECK(one.global_store.requests == kRows);
  CHECK(four.global_store.requests == kRows / 4);
  CHECK(four.warp_syncs == kRows / 4);
  CHECK(four.barriers == 0);
}

TEST_CASE("gemv_block: one barrier and one word of shared memory per warp for a row") {
  constexpr std::size_t kRows = 16;
  for (const std::size_t columns : {4096, 2048, 1024, 4}) {
    const Count c = count<problem::Gemv>(gemv_block, {kRows, columns});
    const unsigned warps = c.launch().block.x / 32;
    CHECK(c.launch().grid.x == kRows);
    CHECK(c.barriers == kRows);
    CHECK(c.shuffles == 5 * warps * kRows);
    CHECK(c.shared_store.threads == warps * kRows);
    CHECK(c.shared_load.threads == warps * kRows);
  }
}

TEST_CASE(
    "gemv: a block of 512, 256 or 128 takes a row; one of 256, eight rows, or 32 short ones") {
  struct Case {
    std::size_t columns;
    std::string_view kernel;
    unsigned threads;
    unsigned rows;  // per block
  };
  for (const Case& expected :
       {Case{4096, "gemv_block_kernel", 512, 1}, Case{4092, "gemv_block_kernel", 256, 1},
        Case{2048, "gemv_block_kernel", 256, 1}, Case{2044, "gemv_block_kernel", 128, 1},
        Case{1024, "gemv_block_kernel", 128, 1}, Case{1020, "gemv_warp_ahead_kernel", 256, 8},
        Case{256, "gemv_warp_ahead_kernel", 256, 8}, Case{252, "gemv_warp_rows_kernel", 256, 32}}) {
    CAPTURE(expected.columns);
    constexpr unsigned kRows = 64;
    const Count c = count<problem::Gemv>(gemv, {kRows, expected.columns});
    CHECK(c.launch().kernel == expected.kernel);
    CHECK(c.launch().block.x == expected.threads);
    CHECK(c.launch().grid.x == kRows / expected.rows);
    CHECK(c.global_atomic.requests == 0);
  }
}

TEST_CASE("gemv: rows shorter than half a warp share it; few long ones have several blocks each") {
  const auto chosen = [](const problem::Shape& shape) {
    return count<problem::Gemv>(gemv, shape).launch();
  };
  CHECK(chosen({64, 64}).kernel == "gemv_groups_kernel");
  CHECK(chosen({64, 68}).kernel == "gemv_warp_rows_kernel");
  CHECK(chosen({64, 95}).kernel == "gemv_groups_kernel");
  CHECK(chosen({64, 97}).kernel == "gemv_warp_rows_kernel");
  CHECK(chosen({1, kWorthSplitting}).kernel == "gemv_block_kernel");
  CHECK(chosen({1, kWorthSplitting + 4}).kernel == "gemv_split_kernel");
  CHECK(chosen({3, 2 * kWorthSplitting}).kernel == "gemv_split_rows_kernel");
}

TEST_CASE("gemv_groups: 8 floats are two lanes' work, and a warp's 16 rows are one request") {
  const Count c = count<problem::Gemv>(gemv_groups, {512, 8});
  CHECK(c.at("__ldcs(rows[r] + i)").global_load.requests == 512 / 16);
  CHECK(c.at("__ldcs(rows[r] + i)").global_load.efficiency() == 1);
}

TEST_CASE("gemv_warp_rows with 8 rows per warp: x is loaded for eight rows at once") {
  const auto eight_rows = [](const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                             cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((m + 63) / 64);
    gemv_warp_rows_kernel<float4, 8, 256><<<blocks, 256, 0, stream>>>(a, x, y, m, k);
  };
  CHECK(count<problem::Gemv>(eight_rows, {64, 128}).global_load.requests == 64 + 8);
}
