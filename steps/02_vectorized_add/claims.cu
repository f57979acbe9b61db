// The statements of the chapter about its kernels, counted.
#include "further/aliasing.cuh"
#include "harness/claims.h"
#include "kernels.h"

using harness::Count;
using harness::count;

// Step 01 takes these for 1024 elements; its own claims hold them.
constexpr std::uint64_t kRequestsThere = 96;
constexpr std::uint64_t kSectorsThere = 384;
constexpr unsigned kBlocksThere = 4;

TEST_CASE(
    "for 1024 elements: 24 requests instead of 96, 16 sectors each, and the same 384 in all") {
  const Count c = count<problem::Add>(add_float4, {1024});
  CHECK(c.global_load.requests + c.global_store.requests == 24);
  CHECK(kRequestsThere == 4 * 24);
  CHECK(c.global_load.sectors + c.global_store.sectors == kSectorsThere);
  for (const harness::AccessCount& access : {c.global_load, c.global_store}) {
    CHECK(access.threads_per_request() == 32);
    CHECK(access.width() == sizeof(float4));
    CHECK(access.sectors_per_request() == 16);
    CHECK(access.efficiency() == 1);
  }
}

TEST_CASE("the grid shrinks to a quarter, the block stays") {
  const Count c = count<problem::Add>(add_float4, {1024});
  CHECK(kBlocksThere == 4 * c.launch().grid.x);
  CHECK(c.launch().block.x == 256);
}

TEST_CASE("a short vector has a block, too") {
  for (const auto& kernel : {add_float4, add_async, add_bulk}) {
    for (const std::size_t n : {1, 2, 3}) {
      CHECK(count<problem::Add>(kernel, {n}).launch().grid.x == 1);
    }
  }
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

TEST_CASE("from inside a sector on, a request touches one more: 17") {
  // A head of 3, and whole warps of packs.
  const Count c = count<problem::Add>(add_float4, {3 + 4096}, {1, 1, 1});
  CHECK(c.at("= reinterpret_cast<const float4*>").global_load.sectors_per_request() == 17);
}

TEST_CASE("where no head suits all three, every element is an edge, and a thread takes one") {
  for (const auto& kernel : {add_float4, add_async, add_bulk}) {
    for (const problem::Offsets& offsets :
         {problem::Offsets{1, 0, 0}, problem::Offsets{0, 1, 0}, problem::Offsets{0, 0, 1}}) {
      const Count c = count<problem::Add>(kernel, {1000}, offsets);
      CHECK(c.launch().grid.x == 4);
      CHECK(c.global_store.threads == 1000);
      CHECK(c.global_store.width() == sizeof(float));
      CHECK(c.shared_store.requests == 0);
    }
    CHECK(count<problem::Add>(kernel, {4099}, {1, 1, 1}).global_store.width() > sizeof(float));
  }
}

TEST_CASE("add_async: 8 KiB of shared memory for the 1024 elements of a block, and no barrier") {
  const Count c = count<problem::Add>(add_async, {3 + 10 * 1024 + 5}, {1, 1, 1});
  CHECK(c.launch().grid.x == 10);
  CHECK(c.shared_store.bytes == 10 * 8192);
  CHECK(c.shared_store.width() == sizeof(float4));
  CHECK(c.shared_store.conflicts + c.shared_load.conflicts == 0);
  CHECK(c.barriers + c.warp_syncs == 0);
  CHECK(c.at("c[edge] = a[edge] + b[edge]").global_store.threads == 3 + 5);
}

TEST_CASE("add_bulk: a block for every 768 elements, 6 KiB into each") {
  const Count c = count<problem::Add>(add_bulk, {3 + 10 * 768 + 5}, {1, 1, 1});
  CHECK(c.launch().grid.x == 10);
  CHECK(c.shared_store.bytes == 10 * 6144);
  CHECK(c.shared_store.width() == sizeof(float4));
  CHECK(c.shared_store.conflicts + c.shared_load.conflicts == 0);
  CHECK(c.at("c[edge] = a[edge] + b[edge]").global_store.threads == 3 + 5);
  CHECK(c.global_store.bytes == 4 * (3 + 10 * 768 + 5));
}

TEST_CASE("__restrict__ changes no access: the same requests, the same sectors") {
  constexpr unsigned kPacks = 1024;
  const device::Buffer<float4> a(kPacks);
  const device::Buffer<float4> b(kPacks);
  const device::Buffer<float4> c(kPacks);
  for (const auto kernel : {add_two_packs_kernel, add_two_packs_restrict_kernel}) {
    const Count counted = count([&] { kernel<<<2, 256>>>(a.data(), b.data(), c.data(), kPacks); });
    CHECK(counted.global_load.requests == 2 * kPacks / 32);
    CHECK(counted.global_store.requests == kPacks / 32);
    CHECK(counted.global_load.sectors_per_request() == 16);
  }
}
