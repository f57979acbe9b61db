// What the chapter says of its kernel, counted.
#include "harness/claims.h"
#include "rungs.h"

using harness::Count;
using harness::count;

constexpr std::size_t M = 64, N = 96, K = 40;
constexpr std::size_t kFmas = M * N * K;

TEST_CASE("2 global loads for each FMA, of 4 bytes each, and nothing is shared") {
  const Count c = count<problem::Sgemm>(sgemm_naive, {M, N, K});
  CHECK(c.global_load.threads == 2 * kFmas);
  CHECK(c.global_load.width() == sizeof(float));
  CHECK(c.global_store.threads == M * N);
  CHECK(c.shared_load.requests + c.shared_store.requests + c.barriers == 0);
}

TEST_CASE("A's load is a broadcast of 1 sector, B's takes 4, or 5 off a sector's edge") {
  // Half of the requests are A's, and move with A alone: a broadcast stays 1 sector.
  const Count c = count<problem::Sgemm>(sgemm_naive, {M, N, K});
  CHECK(c.global_load.sectors_per_request() == (1 + 4) / 2.0);
  const Count moved_a = count<problem::Sgemm>(sgemm_naive, {M, N, K}, {1, 0, 0});
  CHECK(moved_a.global_load.sectors_per_request() == (1 + 4) / 2.0);
  const Count moved_b = count<problem::Sgemm>(sgemm_naive, {M, N, K}, {0, 1, 0});
  CHECK(moved_b.global_load.sectors_per_request() == (1 + 5) / 2.0);
}

namespace {
// One k, with the lanes of a warp down a column of C instead of along a row.
__global__ void swapped_kernel(const float* A, const float* B, float* C, int lda) {
  const int row = threadIdx.x % kTileM;
  const int col = threadIdx.x / kTileM;
  C[threadIdx.x] = A[row * lda] * B[col];
}
}  // namespace

TEST_CASE("with row and column the other way round: 33 sectors for each k instead of 5") {
  const device::Buffer<float> A(kTileM * K), B(kTileN), C(kThreads);
  const Count swapped =
      count([&] { swapped_kernel<<<1, kThreads>>>(A.data(), B.data(), C.data(), K); });
  constexpr std::uint64_t kWarps = kThreads / 32;
  CHECK(swapped.global_load.sectors == 33 * kWarps);

  const Count c = count<problem::Sgemm>(sgemm_naive, {kTileM, kTileN, K});
  CHECK(c.global_load.sectors == 5 * kWarps * K);
}
