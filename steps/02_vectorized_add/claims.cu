// What the chapter says of its kernel, counted.
#include "harness/claims.h"
#include "rungs.h"

using harness::Count;
using harness::count;

TEST_CASE(
    "for 1024 elements: 24 requests instead of 96, 16 sectors each, and the same 384 in all") {
  const Count narrow = count<problem::Add>(add, {1024});
  const Count wide = count<problem::Add>(add_float4, {1024});
  CHECK(narrow.global_load.requests + narrow.global_store.requests == 96);
  CHECK(wide.global_load.requests + wide.global_store.requests == 24);
  CHECK(narrow.global_load.sectors + narrow.global_store.sectors == 384);
  CHECK(wide.global_load.sectors + wide.global_store.sectors == 384);
  for (const harness::AccessCount& access : {wide.global_load, wide.global_store}) {
    CHECK(access.threads_per_request() == 32);
    CHECK(access.width() == sizeof(float4));
    CHECK(access.sectors_per_request() == 16);
    CHECK(access.efficiency() == 1);
  }
}

TEST_CASE("the grid shrinks to a quarter, the block stays") {
  const Count narrow = count<problem::Add>(add, {1 << 16});
  const Count wide = count<problem::Add>(add_float4, {1 << 16});
  CHECK(narrow.launch().grid.x == 4 * wide.launch().grid.x);
  CHECK(wide.launch().block.x == 256);
  CHECK(narrow.launch().block.x == 256);
}

TEST_CASE("a short vector has a block, too") {
  for (const std::size_t n : {1, 2, 3})
    CHECK(count<problem::Add>(add_float4, {n}).launch().grid.x == 1);
}

TEST_CASE("13 elements from two before a boundary: a head of 2, two packs, a tail of 3") {
  const Count c = count<problem::Add>(add_float4, {13}, {2, 2, 2});
  const harness::Counters packs = c.at("= reinterpret_cast<const float4*>");
  const harness::Counters edges = c.at("c[edge] = a[edge] + b[edge]");
  CHECK(packs.global_load.threads == 2 * 2);
  CHECK(packs.global_load.width() == sizeof(float4));
  CHECK(edges.global_load.threads == 2 * 5);
  CHECK(edges.global_store.threads == 5);
  CHECK(edges.global_store.requests == 1);
}

TEST_CASE("inside a sector, a request touches one more: 5, or 17") {
  const Count narrow = count<problem::Add>(add, {1024}, {1, 1, 1});
  CHECK(narrow.global_load.sectors_per_request() == 5);
  // A head of 3, and whole warps of packs.
  const Count wide = count<problem::Add>(add_float4, {3 + 4096}, {1, 1, 1});
  CHECK(wide.at("= reinterpret_cast<const float4*>").global_load.sectors_per_request() == 17);
}

TEST_CASE("add_bulk: a block for every 768 elements and one for the edges; 6 KiB into each") {
  const Count c = count<problem::Add>(add_bulk, {3 + 10 * 768 + 5}, {1, 1, 1});
  CHECK(c.launch().grid.x == 10 + 1);
  CHECK(c.shared_store.bytes == 10 * 6144);
  CHECK(c.shared_store.width() == sizeof(float4));
  CHECK(c.shared_store.conflicts + c.shared_load.conflicts == 0);
  CHECK(c.at("c[edge] = a[edge] + b[edge]").global_store.threads == 3 + 5);
  CHECK(c.global_store.bytes == 4 * (3 + 10 * 768 + 5));
}

TEST_CASE("where no head suits all three, the kernel of step 01 does it") {
  for (const problem::Offsets& offsets :
       {problem::Offsets{1, 0, 0}, problem::Offsets{0, 1, 0}, problem::Offsets{0, 0, 1}}) {
    CHECK(count<problem::Add>(add_float4, {100}, offsets).launch().kernel == "add_kernel");
  }
  CHECK(count<problem::Add>(add_float4, {100}, {1, 1, 1}).launch().kernel == "add_float4_kernel");
  CHECK(count<problem::Add>(add_bulk, {100}, {1, 0, 0}).launch().kernel == "add_kernel");
}
