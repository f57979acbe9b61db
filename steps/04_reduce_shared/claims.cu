// What the chapter says of its kernel, counted.
#include <algorithm>

#include "harness/claims.h"
#include "rungs.h"

using harness::Count;
using harness::count;

constexpr std::size_t kElements = 1 << 16;
constexpr std::size_t kBlocks = kElements / 256;

TEST_CASE("one atomic a block of 256") {
  const Count c = count<problem::Sum>(reduce_shared, {kElements});
  CHECK(c.launch().grid.x == kBlocks);
  CHECK(c.launch().block.x == 256);
  CHECK(c.global_atomic.threads == kBlocks);
}

TEST_CASE("9 barriers a block: one for the elements, log2(256) for the rounds") {
  const Count c = count<problem::Sum>(reduce_shared, {kElements});
  CHECK(c.barriers == 9 * kBlocks);
}

TEST_CASE("511 words stored to shared memory, 511 loaded, in 45 requests a block") {
  const Count c = count<problem::Sum>(reduce_shared, {kElements});
  CHECK(c.shared_store.threads == 511 * kBlocks);
  CHECK(c.shared_load.threads == 511 * kBlocks);
  CHECK(c.shared_load.requests + c.shared_store.requests == 45 * kBlocks);
}

TEST_CASE("no bank conflict: each request is served in one pass") {
  const Count c = count<problem::Sum>(reduce_shared, {kElements});
  for (const harness::AccessCount& access : {c.shared_load, c.shared_store}) {
    CHECK(access.conflicts == 0);
    CHECK(access.wavefronts == access.requests);
  }
}

namespace {
// A round of the other tree. Only its addresses matter here.
__global__ void interleaved_round_kernel(unsigned half) {
  __shared__ float partial[kBlockSize];
  partial[threadIdx.x] = 0.0f;
  __syncthreads();
  const unsigned left = 2 * half * threadIdx.x;
  if (left < kBlockSize) partial[left] += partial[left + half];
}
}  // namespace

TEST_CASE("a tree that grows from neighbours has conflicts of up to 8 ways") {
  double ways = 0;
  for (unsigned half = 1; half < kBlockSize; half *= 2) {
    const Count round = count([half] { interleaved_round_kernel<<<1, kBlockSize>>>(half); });
    const harness::AccessCount loads = round.shared_load;
    if (half == 1) CHECK(loads.wavefronts_per_request() == 2);
    ways = std::max(ways, loads.wavefronts_per_request());
  }
  CHECK(ways == 8);
}
