// The statements of the chapter about its kernels, counted.
#include "harness/claims.h"
#include "kernels.h"

using harness::Count;
using harness::count;

constexpr std::size_t kElements = 1 << 16;

TEST_CASE("a thread makes two loads and one store, and nothing else touches memory") {
  const Count c = count<problem::Add>(add, {kElements});
  CHECK(c.global_load.threads == 2 * kElements);
  CHECK(c.global_store.threads == kElements);
  CHECK(c.global_atomic.requests == 0);
  CHECK(c.shared_load.requests + c.shared_store.requests + c.shared_atomic.requests == 0);
  CHECK(c.barriers + c.warp_syncs + c.shuffles + c.votes == 0);
}

TEST_CASE("a request of a full warp takes 4 sectors, and every byte of them is used") {
  const Count c = count<problem::Add>(add, {kElements});
  for (const harness::AccessCount& access : {c.global_load, c.global_store}) {
    CHECK(access.threads_per_request() == 32);
    CHECK(access.width() == sizeof(float));
    CHECK(access.sectors_per_request() == 4);
    CHECK(access.efficiency() == 1);
  }
}

TEST_CASE("for 1024 elements: 96 requests and 384 sectors, in 4 blocks") {
  const Count c = count<problem::Add>(add, {1024});
  CHECK(c.global_load.requests + c.global_store.requests == 96);
  CHECK(c.global_load.sectors + c.global_store.sectors == 384);
  CHECK(c.launch().grid.x == 4);
}

TEST_CASE("from inside a sector on, a request touches one more: 5") {
  const Count c = count<problem::Add>(add, {1024}, {1, 1, 1});
  CHECK(c.global_load.sectors_per_request() == 5);
}

TEST_CASE("600 elements take three blocks of 256, and the guard keeps 168 threads out") {
  const Count c = count<problem::Add>(add, {600});
  CHECK(c.launch().grid.x == 3);
  CHECK(c.launch().block.x == 256);
  CHECK(c.global_load.threads == 2 * 600);
  CHECK(c.global_store.threads == 600);
}

TEST_CASE("no elements, no launch") { CHECK(count<problem::Add>(add, {0}).launches.empty()); }

TEST_CASE("an SM holds 1024 threads in blocks of 32, 2048 in blocks of 64, 1536 in blocks of 768") {
  // The CPU backend's SM has the limits of an H200's: 2048 threads, 32 blocks.
  const auto resident = [](int block_size) {
    int blocks = 0;
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_kernel, block_size, 0) ==
            cudaSuccess);
    return blocks * block_size;
  };
  CHECK(resident(32) == 1024);
  CHECK(resident(64) == 2048);
  CHECK(resident(256) == 2048);
  CHECK(resident(768) == 1536);
  CHECK(resident(1024) == 2048);
}
