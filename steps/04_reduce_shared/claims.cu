// The statements of the chapter about its kernels, counted.
#include <algorithm>

#include "harness/claims.h"
#include "kernels.h"

using harness::Count;
using harness::count;

constexpr std::size_t kElements = 1 << 16;
constexpr unsigned kBlockSize = 256;
constexpr std::size_t kBlocks = kElements / kBlockSize;

TEST_CASE("both: one atomic per block of 256") {
  for (const auto& kernel : {reduce_interleaved, reduce_shared}) {
    const Count c = count<problem::Sum>(kernel, {kElements});
    CHECK(c.launch().grid.x == kBlocks);
    CHECK(c.launch().block.x == kBlockSize);
    CHECK(c.global_atomic.threads == kBlocks);
  }
}

TEST_CASE("both: 9 barriers per block, one for the elements, log2(256) for the rounds") {
  for (const auto& kernel : {reduce_interleaved, reduce_shared}) {
    CHECK(count<problem::Sum>(kernel, {kElements}).barriers == 9 * kBlocks);
  }
}

TEST_CASE("both: 511 words stored to shared memory, 511 loaded; by 150 requests, or by 45") {
  const Count interleaved = count<problem::Sum>(reduce_interleaved, {kElements});
  const Count halves = count<problem::Sum>(reduce_shared, {kElements});
  for (const Count& c : {interleaved, halves}) {
    CHECK(c.shared_store.threads == 511 * kBlocks);
    CHECK(c.shared_load.threads == 511 * kBlocks);
  }
  CHECK(interleaved.shared_load.requests + interleaved.shared_store.requests == 150 * kBlocks);
  CHECK(halves.shared_load.requests + halves.shared_store.requests == 45 * kBlocks);
}

TEST_CASE("lanes that add in each warp that adds: 255 in 47 warps, or 255 in 12") {
  const auto adding = [](const Count& c) { return c.at("partial[threadIdx.x] +=").shared_store; };
  const Count interleaved = count<problem::Sum>(reduce_interleaved, {kElements});
  const Count halves = count<problem::Sum>(reduce_shared, {kElements});
  CHECK(adding(interleaved).threads == 255 * kBlocks);
  CHECK(adding(interleaved).requests == 47 * kBlocks);
  CHECK(adding(halves).threads == 255 * kBlocks);
  CHECK(adding(halves).requests == 12 * kBlocks);
}

TEST_CASE("both: no bank conflict, each request is served in one pass") {
  for (const auto& kernel : {reduce_interleaved, reduce_shared}) {
    const Count c = count<problem::Sum>(kernel, {kElements});
    for (const harness::AccessCount& access : {c.shared_load, c.shared_store}) {
      CHECK(access.conflicts == 0);
      CHECK(access.wavefronts == access.requests);
    }
  }
}

namespace {
// A round of the interleaved tree with its threads side by side. Only its addresses matter here.
__global__ void strided_round_kernel(unsigned half) {
  __shared__ float partial[kBlockSize];
  partial[threadIdx.x] = 0.0f;
  __syncthreads();
  const unsigned left = 2 * half * threadIdx.x;
  if (left < kBlockSize) partial[left] += partial[left + half];
}
}  // namespace

TEST_CASE("the interleaved tree by threads side by side has conflicts of up to 8 ways") {
  double ways = 0;
  for (unsigned half = 1; half < kBlockSize; half *= 2) {
    const Count round = count([half] { strided_round_kernel<<<1, kBlockSize>>>(half); });
    const harness::AccessCount loads = round.shared_load;
    if (half == 1) CHECK(loads.wavefronts_per_request() == 2);
    ways = std::max(ways, loads.wavefronts_per_request());
  }
  CHECK(ways == 8);
}
