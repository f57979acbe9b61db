// The chapter's claims about its kernels, counted.
#include <cfloat>
#include <cmath>

#include "harness/claims.h"
#include "launchers.h"
#include "part.cuh"

using harness::Count;
using harness::count;

// Constants that stand beside kernels, which take long to compile: in 14_softmax_three_kernels.cuh
// and softmax.cuh. A claim fails if one differs.
constexpr std::size_t kPiece = 1024;
constexpr std::size_t kShortRow = 512, kMaxBlockCols = 32 * 1024;

constexpr std::size_t kRows = 16;
constexpr std::size_t kCols = 1024;

namespace {
// How often each element of x is read, for kernels that read nothing else from global memory.
double reads_of_x(problem::Softmax::Launch launch, const problem::Shape& shape) {
  const Count c = count<problem::Softmax>(launch, shape);
  return static_cast<double>(c.global_load.bytes) /
         static_cast<double>(sizeof(float) * shape[0] * shape[1]);
}

Count counted(problem::Softmax::Launch launch) {
  return count<problem::Softmax>(launch, {kRows, kCols});
}

std::string first_kernel(problem::Softmax::Launch launch, const problem::Shape& shape) {
  return count<problem::Softmax>(launch, shape).launches.at(0).kernel;
}
}  // namespace

TEST_CASE("a row is read 3 times, then 2 times, then once") {
  for (const auto launch :
       {softmax_naive, softmax_warp_shared, softmax_warp_shuffle, softmax_block_reread}) {
    CHECK(reads_of_x(launch, {kRows, kCols}) == 3);
  }
  // Maxima and sums are read from global memory, too.
  const problem::Shape shape = {kRows, 3 * kPiece};
  for (const auto launch : {softmax_three_passes, softmax_three_kernels}) {
    const Count three = count<problem::Softmax>(launch, shape);
    CHECK(three.at("in[i]").global_load.threads == 3 * shape[0] * shape[1]);
  }
  for (const auto launch : {softmax_online_scalar, softmax_online_merged, softmax_online}) {
    CHECK(reads_of_x(launch, {kRows, kCols}) == 2);
  }
  for (const auto launch : {softmax_warp_cached,    softmax_warp_float4,    softmax_warp_groups,
                            softmax_warp_approx,    softmax_warp_narrow,    softmax_warp_paired,
                            softmax_warp_zipped,    softmax_warp_whole,     softmax_warp_at_once,
                            softmax_warp_packed,    softmax_block_shared,   softmax_block,
                            softmax_block_cached,   softmax_block_merged,   softmax_block_shifts,
                            softmax_block_approx,   softmax_block_prefetch, softmax_cluster_barrier,
                            softmax_cluster_halves, softmax_cluster,        softmax}) {
    CHECK(reads_of_x(launch, {kRows, kCols}) == 1);
    CHECK(reads_of_x(launch, {kRows, 1023}) == 1);  // rows do not start on 16 bytes
  }
  CHECK(reads_of_x(softmax_online, {kRows, 1023}) == 2);
  CHECK(reads_of_x(softmax_cluster, {2, kMaxBlockCols}) == 1);
}

TEST_CASE("softmax_naive: the 32 lanes of a warp read from 32 rows") {
  const Count naive = count<problem::Softmax>(softmax_naive, {64, kCols});
  CHECK(naive.global_load.sectors_per_request() == 32);
  CHECK(naive.global_store.sectors_per_request() == 32);
  const Count warp = count<problem::Softmax>(softmax_warp_shared, {64, kCols});
  CHECK(warp.global_load.sectors_per_request() == 4);
}

TEST_CASE("softmax_warp_shuffle: no shared memory and no barrier, for just as many shuffles") {
  const Count shared = counted(softmax_warp_shared);
  CHECK(shared.shared_store.threads == 2 * kRows);
  CHECK(shared.warp_syncs == 2 * kRows);

  const Count shuffle = counted(softmax_warp_shuffle);
  CHECK(shuffle.shared_load.requests + shuffle.shared_store.requests == 0);
  CHECK(shuffle.warp_syncs + shuffle.barriers == 0);
  CHECK(shuffle.shuffles == 10 * kRows);
  CHECK(shuffle.shuffles == shared.shuffles);
}

TEST_CASE("rows in registers: no shared memory and no barrier, and at last 128-bit accesses") {
  const Count cached = counted(softmax_warp_cached);
  CHECK(cached.global_load.width() == sizeof(float));
  for (const auto launch : {softmax_warp_float4, softmax_warp_packed}) {
    const Count c = counted(launch);
    CHECK(c.shared_load.requests + c.shared_store.requests == 0);
    CHECK(c.warp_syncs + c.barriers == 0);
    CHECK(c.global_load.requests == cached.global_load.requests / 4);
    for (const harness::AccessCount& access : {c.global_load, c.global_store}) {
      CHECK(access.width() == sizeof(float4));
      CHECK(access.efficiency() == 1);
    }
  }
}

TEST_CASE("a row of 20 is given to 8 lanes: a warp has four rows at a time") {
  const auto at_20 = [](problem::Softmax::Launch launch) {
    return count<problem::Softmax>(launch, {64, 20});
  };
  CHECK(at_20(softmax_warp_float4).global_load.requests == 64);
  CHECK(at_20(softmax_warp_float4).global_load.threads_per_request() == 5);  // packs
  for (const auto launch : {softmax_warp_groups, softmax_warp_packed}) {
    const Count c = at_20(launch);
    CHECK(c.global_load.requests == 64 / 4);
    CHECK(c.global_load.threads_per_request() == 4 * 5);
    CHECK(c.shuffles == (3 + 3) * 64 / 4);  // over 8 lanes
  }
}

TEST_CASE("the chapter's example: 1, 3, 2, 0 in one pass") {
  struct Seen {
    float x, max, rescale, sum;
  };
  constexpr Seen kTable[] = {
      {1, 1, 0, 1.0000}, {3, 3, 0.1353, 1.1353}, {2, 3, 1, 1.5032}, {0, 3, 1, 1.5530}};
  const auto near = [](float value) { return doctest::Approx(value).epsilon(0.0001); };
  float max = -FLT_MAX;
  float sum = 0;
  for (const Seen& seen : kTable) {
    const float rescale = std::exp(max - seen.max);
    sum = sum * rescale + std::exp(seen.x - seen.max);
    max = seen.max;
    CHECK(rescale == near(seen.rescale));
    CHECK(sum == near(seen.sum));
  }
  // The same from the parts [1, 3] and [2, 0], as merge() has it.
  const float other = 1 + std::exp(0.0f - 2);
  CHECK(other == near(1.1353));
  CHECK(other * std::exp(2.0f - 3) == near(0.4177));
  CHECK(1.1353f + 0.4177f == near(sum));

  constexpr float kResult[] = {0.0871, 0.6439, 0.2369, 0.0321};
  for (const auto launch : {softmax_naive, softmax_online_scalar, softmax_online_merged}) {
    float* x = nullptr;
    cudaMalloc(&x, 2 * std::size(kTable) * sizeof(float));
    float* const y = x + std::size(kTable);
    for (std::size_t i = 0; i < std::size(kTable); ++i) {
      cudaMemcpy(&x[i], &kTable[i].x, sizeof(float), cudaMemcpyDefault);
    }
    launch(x, y, 1, std::size(kTable), nullptr);
    for (std::size_t i = 0; i < std::size(kTable); ++i) {
      float value = 0;
      cudaMemcpy(&value, &y[i], sizeof(float), cudaMemcpyDefault);
      CHECK(value == doctest::Approx(kResult[i]).epsilon(0.002));
    }
    cudaFree(x);
  }
}

TEST_CASE("softmax_warp_narrow and softmax_warp_paired: the shapes of the blocks") {
  const auto launched = [](problem::Softmax::Launch launch) {
    return count<problem::Softmax>(launch, {256, 32}).launch();
  };
  CHECK(launched(softmax_warp_approx).block.x == 256);
  CHECK(launched(softmax_warp_narrow).block.x == 128);
  CHECK(launched(softmax_warp_narrow).grid.x == 256 / 16);  // 8 lanes per row
  CHECK(launched(softmax_warp_paired).block.x == 128);
  CHECK(launched(softmax_warp_paired).grid.x == 256 / 32);
}

TEST_CASE("where nothing is cut short, a block is a warp with 32 floats per lane") {
  for (const std::size_t cols : {64, 128, 256, 512, 1024}) {
    for (const auto launch : {softmax_warp_whole, softmax_warp_packed}) {
      const Count whole = count<problem::Softmax>(launch, {256, cols});
      CHECK(whole.launch().block.x == 32);
      CHECK(whole.launch().grid.x == 256 * cols / (32 * 32));
      CHECK(count<problem::Softmax>(launch, {256, cols - 4}).launch().block.x == 64);
    }
    CHECK(count<problem::Softmax>(softmax_warp_zipped, {256, cols}).launch().block.x == 64);
  }
  CHECK(count<problem::Softmax>(softmax_warp_packed, {257, 128}).launch().block.x == 64);
}

TEST_CASE("softmax_warp_at_once: larger blocks where all run at once") {
  CHECK(count<problem::Softmax>(softmax_warp_whole, {256, 32}).launch().block.x == 32);
  CHECK(count<problem::Softmax>(softmax_warp_at_once, {256, 32}).launch().block.x == 128);
  CHECK(count<problem::Softmax>(softmax_warp_at_once, {80000, 32}).launch().block.x == 32);
}

TEST_CASE("three launches, and in the end many blocks for a row") {
  const Count passes = count<problem::Softmax>(softmax_three_passes, {1, 3 * kPiece});
  CHECK(passes.launches.size() == 3);
  CHECK(passes.launches.at(0).grid.x == 1);
  CHECK(passes.global_atomic.requests == 0);
  const Count kernels = count<problem::Softmax>(softmax_three_kernels, {1, 3 * kPiece});
  CHECK(kernels.launches.size() == 3);
  CHECK(kernels.launches.at(0).grid.x == 3);
  CHECK(kernels.global_atomic.threads == 3 + 3);  // a maximum and a sum per block
}

TEST_CASE("barriers: two per row, and one if maximum and sum travel together") {
  for (const auto launch : {softmax_block_reread, softmax_online_scalar, softmax_block_shared,
                            softmax_block, softmax_block_cached}) {
    CHECK(counted(launch).barriers == 2 * kRows);
  }
  for (const auto launch : {softmax_block_merged, softmax_block_shifts, softmax_block_approx,
                            softmax_block_prefetch, softmax_cluster}) {
    CHECK(counted(launch).barriers == kRows);
  }
  // The other one is for the row that might follow.
  CHECK(counted(softmax_online_merged).barriers == 2 * kRows);
}

TEST_CASE("softmax_block: a row of more than 48 KiB can be had, too") {
  CHECK(first_kernel(softmax_block_shared, {2, 20000}) == "softmax_online_kernel");
  const Count large = count<problem::Softmax>(softmax_block, {2, 20000});
  CHECK(large.launch().kernel == "softmax_block_kernel");
  CHECK(large.barriers == 2 * 2);
}

TEST_CASE("softmax_block_shifts: 128-bit accesses wherever a row starts") {
  CHECK(count<problem::Softmax>(softmax_block_merged, {kRows, 4095}).global_load.width() ==
        sizeof(float));
  for (const auto launch : {softmax_block_shifts, softmax_cluster}) {
    const Count c = count<problem::Softmax>(launch, {kRows, 4096});
    CHECK(c.global_load.width() == sizeof(float4));
    CHECK(c.global_store.width() == sizeof(float4));
    // All but the ends of a row that are not whole packs: fewer than four floats each.
    const Count odd = count<problem::Softmax>(launch, {kRows, 4095});
    CHECK(odd.barriers == kRows);
    CHECK(odd.global_load.threads < kRows * (4096 / 4 + 6));
    CHECK(odd.global_store.threads < kRows * (4096 / 4 + 6));
  }
}

TEST_CASE("softmax takes the kernel for the shape") {
  CHECK(first_kernel(softmax, {2, kShortRow}) == "softmax_warp_at_once_kernel");
  CHECK(first_kernel(softmax, {2, kShortRow + 1}) == "softmax_cluster_kernel");
  CHECK(first_kernel(softmax, {1, kMaxBlockCols}) == "softmax_cluster_kernel");
  // Too long for that, here where there are no clusters; and too long for shared memory.
  CHECK(first_kernel(softmax, {2, kMaxBlockCols + 1}) == "softmax_block_kernel");
  CHECK(first_kernel(softmax, {2, 60000}) == "softmax_two_kernels_kernel");
}

TEST_CASE("softmax_two_kernels: several blocks per row, no atomics, x is read twice") {
  constexpr std::size_t kCols = 3 * 4 * 4096;
  const Count c = count<problem::Softmax>(softmax_two_kernels, {2, kCols});
  REQUIRE(c.launches.size() == 2);
  for (const auto& launch : c.launches) {
    CHECK(launch.grid.x == 3);
    CHECK(launch.grid.y == 2);
  }
  CHECK(c.global_atomic.requests == 0);
  CHECK(c.global_store.bytes == sizeof(float) * 2 * kCols + 2 * 3 * sizeof(Part));
}

TEST_CASE("rows that a rung has no room for go to one for rows of any length") {
  for (const auto launch : {softmax_warp_cached, softmax_warp_groups, softmax_warp_at_once}) {
    CHECK(first_kernel(launch, {2, 1025}) == "softmax_warp_shuffle_kernel");
  }
  CHECK(first_kernel(softmax_warp_packed, {2, 1025}) == "softmax_online_kernel");
  CHECK(first_kernel(softmax_block, {2, 60000}) == "softmax_online_kernel");
  for (const auto launch : {softmax_block_cached, softmax_block_shifts, softmax_cluster}) {
    CHECK(first_kernel(launch, {2, 300000}) == "softmax_online_kernel");
  }
}
