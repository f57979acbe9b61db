// What the chapter says of its kernels, counted.
#include "harness/claims.h"
#include "rungs.h"

using harness::Count;
using harness::count;

constexpr std::size_t M = 128, N = 256, K = 32;
constexpr std::size_t kFmas = M * N * K;

namespace {
double for_one_fma(std::uint64_t count) {
  return static_cast<double>(count) / static_cast<double>(kFmas);
}
}  // namespace

TEST_CASE(
    "for one FMA: 1/4 float from shared memory, in 1/4 or 1/16 of a load; 2/128 from global") {
  const Count scalar = count<problem::Sgemm>(sgemm_threadtile, {M, N, K});
  const Count wide = count<problem::Sgemm>(sgemm_threadtile_float4, {M, N, K});
  CHECK(for_one_fma(scalar.shared_load.bytes / 4) == 1.0 / 4);
  CHECK(for_one_fma(wide.shared_load.bytes / 4) == 1.0 / 4);
  CHECK(for_one_fma(scalar.shared_load.threads) == 1.0 / 4);
  CHECK(for_one_fma(wide.shared_load.threads) == 1.0 / 16);
  CHECK(for_one_fma(scalar.global_load.bytes / 4) == 2.0 / 128);
  CHECK(for_one_fma(wide.global_load.bytes / 4) == 2.0 / 128);
}

TEST_CASE("a slice of 128 x 128 x 8 brings 8 KiB: 32 operations a byte") {
  const Count c = count<problem::Sgemm>(sgemm_threadtile_float4, {M, N, K});
  CHECK(c.launch().grid.x == (M / 128) * (N / 128));
  CHECK(c.launch().block.x == 256);
  CHECK(c.global_load.bytes == 8 * 1024 * (K / 8) * c.launch().grid.x);
  CHECK(2 * kFmas == 32 * c.global_load.bytes);
}

TEST_CASE("sgemm_threadtile: the scalar reads have conflicts, 4 words of b a bank, 2 of a") {
  const Count c = count<problem::Sgemm>(sgemm_threadtile, {M, N, K});
  const harness::AccessCount a = c.at("a[m] = As[row + m][k]").shared_load;
  const harness::AccessCount b = c.at("b[n] = Bs[k][col + n]").shared_load;
  CHECK(a.words == 2 * a.requests);
  CHECK(a.wavefronts_per_request() == 2);
  CHECK(b.words == 16 * b.requests);
  CHECK(b.wavefronts_per_request() == 4);
}

TEST_CASE("sgemm_threadtile_float4: neither its stores into the padded As nor its reads conflict") {
  const Count c = count<problem::Sgemm>(sgemm_threadtile_float4, {M, N, K});
  CHECK(c.shared_load.conflicts == 0);
  CHECK(c.shared_store.conflicts == 0);
  for (const char* const line :
       {"As[c + 0][r] =", "As[c + 1][r] =", "As[c + 2][r] =", "As[c + 3][r] ="}) {
    const harness::AccessCount stores = c.at(line).shared_store;
    CHECK(stores.words == 32 * stores.requests);
    CHECK(stores.wavefronts_per_request() == 1);
  }
  CHECK(c.shared_load.width() == sizeof(float4));
}

namespace {
// The transposing stores of sgemm_threadtile_float4, with any pitch.
template <int BM, int BK, int kPad>
__global__ void transposing_stores_kernel() {
  __shared__ float As[BK][BM + kPad];
  const int r = threadIdx.x / (BK / 4);
  const int c = threadIdx.x % (BK / 4) * 4;
  for (int i = 0; i < 4; ++i) As[c + i][r] = 0.0f;
}

// The reads of a thread whose eight columns are neighbours.
__global__ void neighbouring_columns_kernel(float4* out) {
  __shared__ float4 row[64];
  if (threadIdx.x < 64) row[threadIdx.x] = make_float4(0, 0, 0, 0);
  __syncthreads();
  out[threadIdx.x] = row[2 * threadIdx.x];
}
}  // namespace

TEST_CASE("without the padding the stores have a 2-way conflict") {
  const Count with = count([] { transposing_stores_kernel<kTileM, kTileK, 4><<<1, kThreads>>>(); });
  const Count without =
      count([] { transposing_stores_kernel<kTileM, kTileK, 0><<<1, kThreads>>>(); });
  CHECK(with.shared_store.wavefronts_per_request() == 1);
  CHECK(without.shared_store.wavefronts_per_request() == 2);
}

TEST_CASE("with eight neighbouring columns a thread, the wide reads would conflict") {
  const device::Buffer<float> out(32 * 4);
  const Count c =
      count([&] { neighbouring_columns_kernel<<<1, 32>>>(reinterpret_cast<float4*>(out.data())); });
  CHECK(c.shared_load.wavefronts_per_request() == 2 * 4);
}

TEST_CASE("a warp is 2 x 16 threads: it reads 16 floats of A and 128 of B for each k") {
  const Count c = count<problem::Sgemm>(sgemm_threadtile_float4, {M, N, K});
  const std::uint64_t warps = kThreads / 32 * c.launch().grid.x;
  CHECK(c.shared_load.words == (16 + 128) * warps * K);
}
