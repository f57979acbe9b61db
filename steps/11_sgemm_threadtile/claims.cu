// The chapter's claims about its kernels, counted.
#include <algorithm>
#include <array>

#include "device/buffer.h"
#include "harness/claims.h"
#include "launchers.h"

using harness::AccessCount;
using harness::Count;
using harness::count;

constexpr std::size_t M = 128, N = 256, K = 32;
constexpr std::size_t kFmas = M * N * K;

namespace {
constexpr int kWarpSize = 32;

double per_fma(std::uint64_t count) {
  return static_cast<double>(count) / static_cast<double>(kFmas);
}

Count counted(problem::Sgemm::Launch launch) { return count<problem::Sgemm>(launch, {M, N, K}); }
}  // namespace

TEST_CASE("per FMA: 9/8 of a shared load, 1/4, 10/64, 4/64") {
  CHECK(per_fma(counted(sgemm_threadtile_column).shared_load.threads) == 9.0 / 8);
  CHECK(per_fma(counted(sgemm_threadtile).shared_load.threads) == 16.0 / 64);
  CHECK(per_fma(counted(sgemm_threadtile_wide_b).shared_load.threads) == 10.0 / 64);
  for (const auto& launch : {sgemm_threadtile_transposed, sgemm_threadtile_padded,
                             sgemm_threadtile_split, sgemm_threadtile_float4}) {
    CHECK(per_fma(counted(launch).shared_load.threads) == 4.0 / 64);
  }
}

TEST_CASE("per FMA: 9/8 floats from shared memory, then 1/4; 2/64 from global memory, then 2/128") {
  for (const auto& variant : kStep.variants) {
    const Count c = counted(variant.launch);
    const bool is_column = variant.name == "sgemm_threadtile_column";
    CHECK(per_fma(c.shared_load.bytes / 4) == (is_column ? 9.0 / 8 : 1.0 / 4));
    CHECK(per_fma(c.global_load.bytes / 4) == (is_column ? 2.0 / 64 : 2.0 / 128));
  }
}

TEST_CASE("per warp and k: 48 wavefronts of shared loads for 64 FMAs per thread, then 32, 20, 12") {
  const auto wavefronts = [](problem::Sgemm::Launch launch) {
    return per_fma(counted(launch).shared_load.wavefronts) * 64 * kWarpSize;
  };
  CHECK(wavefronts(sgemm_threadtile_column) == 8 * 9);
  CHECK(wavefronts(sgemm_threadtile) == 48);
  CHECK(wavefronts(sgemm_threadtile_wide_b) == 32);
  CHECK(wavefronts(sgemm_threadtile_transposed) == 20);
  CHECK(wavefronts(sgemm_threadtile_padded) == 20);
  CHECK(wavefronts(sgemm_threadtile_split) == 12);
  CHECK(wavefronts(sgemm_threadtile_float4) == 12);
}

TEST_CASE("sgemm_threadtile_float4, a block and k: 96 cycles of shared loads beside 128 of FMAs") {
  const Count c = counted(sgemm_threadtile_float4);
  const std::uint64_t steps = c.launch().grid.x * K;
  const std::uint64_t warps = c.launch().block.x / kWarpSize;
  constexpr std::uint64_t kWarpFmasPerCycle = 4;
  CHECK(c.shared_load.wavefronts / steps == 96);
  CHECK(warps * 8 * 8 / kWarpFmasPerCycle == 128);
}

namespace {
// Wavefronts of a warp that stores to 16 rows r and 2 columns c, four apart, of a transposed tile.
int transposing_wavefronts(int pitch) {
  std::array<int, 32> in_bank{};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int r = lane / 2, c = lane % 2 * 4;
    ++in_bank[(c * pitch + r) % 32];
  }
  return *std::max_element(in_bank.begin(), in_bank.end());
}
}  // namespace

TEST_CASE("a pitch of 132 words moves the second column to the other banks; 128 and 136 don't") {
  CHECK(transposing_wavefronts(128) == 2);
  CHECK(transposing_wavefronts(132) == 1);
  CHECK(transposing_wavefronts(136) == 2);
  CHECK(transposing_wavefronts(140) == 1);
}

TEST_CASE("a slice of 128 x 128 x 8 brings 8 KiB: 32 operations per byte") {
  const Count c = counted(sgemm_threadtile_float4);
  CHECK(c.launch().grid.x == (M / 128) * (N / 128));
  CHECK(c.launch().block.x == 256);
  CHECK(c.global_load.bytes == 8 * 1024 * (K / 8) * c.launch().grid.x);
  CHECK(2 * kFmas == 32 * c.global_load.bytes);
}

TEST_CASE("sgemm_threadtile_column: A's reads are broadcasts, B's 32 neighbors; no conflicts") {
  const Count c = counted(sgemm_threadtile_column);
  const AccessCount a = c.at("sum[m] += As[row + m][k] * b").shared_load;
  const AccessCount b = c.at("b = Bs[k][col]").shared_load;
  CHECK(a.words == a.requests);
  CHECK(b.words == 32 * b.requests);
  CHECK(a.requests == 8 * b.requests);
  CHECK(c.shared_load.conflicts + c.shared_store.conflicts == 0);
}

TEST_CASE("sgemm_threadtile: the scalar reads have conflicts, 4 words of b a bank, 2 of a") {
  const Count c = counted(sgemm_threadtile);
  const AccessCount a = c.at("a[m] = As[row + m][k]").shared_load;
  const AccessCount b = c.at("b[n] = Bs[k][col + n]").shared_load;
  CHECK(a.words == 2 * a.requests);
  CHECK(a.wavefronts_per_request() == 2);
  CHECK(b.words == 16 * b.requests);
  CHECK(b.wavefronts_per_request() == 4);
}

TEST_CASE("sgemm_threadtile_wide_b: a quarter of the requests for B, and conflicts remain") {
  const Count scalar = counted(sgemm_threadtile);
  const Count wide = counted(sgemm_threadtile_wide_b);
  const std::uint64_t for_a = wide.at("a[m] = As[row + m][k]").shared_load.requests;
  CHECK(4 * (wide.shared_load.requests - for_a) == scalar.shared_load.requests - for_a);
  CHECK(wide.shared_load.conflicts > 0);
  CHECK(wide.shared_load.conflicts == scalar.shared_load.conflicts / 2);
}

TEST_CASE("the transposing stores: a 2-way conflict, none with padding") {
  const Count unpadded = counted(sgemm_threadtile_transposed);
  const Count padded = counted(sgemm_threadtile_padded);
  for (const char* const line :
       {"As[c + 0][r] =", "As[c + 1][r] =", "As[c + 2][r] =", "As[c + 3][r] ="}) {
    CHECK(unpadded.at(line).shared_store.wavefronts_per_request() == 2);
    const AccessCount stores = padded.at(line).shared_store;
    CHECK(stores.words == 32 * stores.requests);
    CHECK(stores.wavefronts_per_request() == 1);
  }
  CHECK(unpadded.shared_store.conflicts > 0);
  CHECK(padded.shared_store.conflicts == 0);
  CHECK(padded.shared_load.conflicts == unpadded.shared_load.conflicts);
}

TEST_CASE("the split: no conflict is left, and C is stored in half as many sectors") {
  const Count whole = counted(sgemm_threadtile_padded);
  const Count split = counted(sgemm_threadtile_split);
  CHECK(whole.shared_load.conflicts > 0);
  CHECK(split.shared_load.conflicts + split.shared_store.conflicts == 0);
  CHECK(split.shared_load.width() == sizeof(float4));
  CHECK(whole.global_store.sectors_per_request() == 32);
  CHECK(split.global_store.sectors_per_request() == 16);
}

TEST_CASE("sgemm_threadtile_float4: a quarter of the stores, of as many sectors each") {
  const Count split = counted(sgemm_threadtile_split);
  const Count wide = counted(sgemm_threadtile_float4);
  CHECK(4 * wide.global_store.requests == split.global_store.requests);
  CHECK(wide.global_store.sectors_per_request() == 16);
  CHECK(wide.global_store.efficiency() == 1);
  CHECK(split.global_store.efficiency() == 0.25);
  CHECK(wide.shared_load.conflicts + wide.shared_store.conflicts == 0);
}

namespace {
// The reads of a thread whose eight columns are neighbors.
__global__ void neighboring_columns_kernel(float4* out) {
  __shared__ float4 row[64];
  if (threadIdx.x < 64) row[threadIdx.x] = make_float4(0, 0, 0, 0);
  __syncthreads();
  out[threadIdx.x] = row[2 * threadIdx.x];
}
}  // namespace

TEST_CASE("with eight neighboring columns per thread, the wide reads conflict") {
  const device::Buffer<float> out(32 * 4);
  const Count c =
      count([&] { neighboring_columns_kernel<<<1, 32>>>(reinterpret_cast<float4*>(out.data())); });
  CHECK(c.shared_load.wavefronts_per_request() == 2 * 4);
}

TEST_CASE("a warp is 2 x 16 threads: it reads 16 floats of A and 128 of B for each k") {
  const Count c = counted(sgemm_threadtile_float4);
  const std::uint64_t warps = c.launch().block.x / kWarpSize * c.launch().grid.x;
  CHECK(c.shared_load.words == (16 + 128) * warps * K);
}
