// The chapter's claims about its kernel, counted.
#include "harness/claims.h"
#include "kernels.h"

using harness::Count;
using harness::count;

constexpr std::size_t M = 64, N = 96, K = 40;
constexpr std::size_t kFmas = M * N * K;
constexpr int kWarpSize = 32;

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

TEST_CASE("two requests of a warp for each of its FMAs") {
  const Count c = count<problem::Sgemm>(sgemm_naive, {M, N, K});
  CHECK(c.global_load.requests == 2 * kFmas / kWarpSize);
}

TEST_CASE("in tiles of 16 x 16: 4 sectors for each k instead of 5, and as many requests") {
  const device::Buffer<float> A(M * K), B(K * N), C(M * N);
  const auto tiles = [&](auto kernel, int BM, int BN) {
    return count(
        [&] { kernel<<<M / BM*(N / BN), BM * BN>>>(A.data(), B.data(), C.data(), M, N, K); });
  };
  const Count wide = tiles(sgemm_naive_kernel<8, 32, 256>, 8, 32);
  const Count square = tiles(sgemm_naive_kernel<16, 16, 256>, 16, 16);
  CHECK(wide.global_load.sectors_per_request() == 5 / 2.0);
  CHECK(square.global_load.sectors_per_request() == 4 / 2.0);
  CHECK(square.global_load.requests == wide.global_load.requests);
}

namespace {
// One k, with the lanes of a warp down a column of C, not along a row.
__global__ void down_a_column_kernel(const float* A, const float* B, float* C, int lda) {
  const int row = threadIdx.x % kWarpSize;
  const int col = threadIdx.x / kWarpSize;
  C[threadIdx.x] = A[row * lda] * B[col];
}
}  // namespace

TEST_CASE("with the lanes down a column of C: 33 sectors for each k instead of 5") {
  constexpr int kBlockSize = 256;
  constexpr std::uint64_t kWarps = kBlockSize / kWarpSize;
  const device::Buffer<float> A(kWarpSize * K), B(kWarps), C(kBlockSize);
  const Count down =
      count([&] { down_a_column_kernel<<<1, kBlockSize>>>(A.data(), B.data(), C.data(), K); });
  CHECK(down.global_load.sectors == 33 * kWarps);

  const Count along = count<problem::Sgemm>(sgemm_naive, {8, 32, K});
  CHECK(along.launch().block.x == kBlockSize);
  CHECK(along.global_load.sectors == 5 * kWarps * K);
}
