// The chapter's claims about its kernel, counted.
#include "harness/claims.h"
#include "kernels.h"

using harness::Count;
using harness::count;

constexpr std::size_t M = 64, N = 96, K = 128;
constexpr std::size_t kFmas = M * N * K;

TEST_CASE(
    "global loads fall by the width of the tile: for 32 values of k, 2 per thread instead of 64") {
  const Count c = count<problem::Sgemm>(sgemm_blocktile, {M, N, K});
  CHECK(c.global_load.threads == 2 * kFmas / 32);
}

TEST_CASE("both copies are coalesced: 4 sectors, or 5 off a sector's edge") {
  const Count c = count<problem::Sgemm>(sgemm_blocktile, {M, N, K});
  CHECK(c.global_load.sectors_per_request() == 4);
  CHECK(c.global_load.efficiency() == 1);
  CHECK(c.global_store.sectors_per_request() == 4);
  const Count moved = count<problem::Sgemm>(sgemm_blocktile, {M, N, K}, {1, 1, 0});
  CHECK(moved.global_load.sectors_per_request() == 5);
}

TEST_CASE("two loads from shared memory for each FMA: a broadcast, and 32 neighbors") {
  const Count c = count<problem::Sgemm>(sgemm_blocktile, {M, N, K});
  CHECK(c.shared_load.threads == 2 * kFmas);
  const harness::AccessCount loads = c.at("sum += As[row][k] * Bs[k][col]").shared_load;
  CHECK(loads.requests == c.shared_load.requests);
  CHECK(loads.words == (1 + 32) * loads.requests / 2);
}

TEST_CASE("no bank conflicts") {
  const Count c = count<problem::Sgemm>(sgemm_blocktile, {M, N, K});
  for (const harness::AccessCount& access : {c.shared_load, c.shared_store}) {
    CHECK(access.conflicts == 0);
    CHECK(access.wavefronts == access.requests);
  }
}

TEST_CASE("two barriers per slice; threads outside the matrix come to them, too") {
  const Count c = count<problem::Sgemm>(sgemm_blocktile, {M, N, K});
  CHECK(c.launch().grid.x == (M / 32) * (N / 32));
  CHECK(c.barriers == 2 * (K / 32) * c.launch().grid.x);
  CHECK(count<problem::Sgemm>(sgemm_blocktile, {1, 1, 33}).barriers == 2 * 2);
}

TEST_CASE("a slice brings 8 KiB: 8 operations for each byte of global memory") {
  const Count c = count<problem::Sgemm>(sgemm_blocktile, {M, N, K});
  CHECK(c.global_load.bytes == 8 * 1024 * (K / 32) * c.launch().grid.x);
  CHECK(2 * kFmas == 8 * c.global_load.bytes);
}

TEST_CASE("tiles of 16: twice the global loads, and as many shared loads, without conflicts") {
  const device::Buffer<float> A(M * K), B(K * N), C(M * N);
  const Count small = count([&] {
    sgemm_blocktile_kernel<16, 16, 16, 256>
        <<<M / 16 * (N / 16), 256>>>(A.data(), B.data(), C.data(), M, N, K);
  });
  const Count c = count<problem::Sgemm>(sgemm_blocktile, {M, N, K});
  CHECK(small.global_load.threads == 2 * c.global_load.threads);
  CHECK(small.shared_load.requests == c.shared_load.requests);
  CHECK(small.shared_load.wavefronts == c.shared_load.wavefronts);
}
