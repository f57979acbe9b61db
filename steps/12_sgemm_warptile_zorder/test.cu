#include "harness/step_test.h"
#include "rungs_here.h"

TEST_CASE("every kernel is right at every size") { harness::check_all_sizes(kStep); }

namespace {
// One of the choices that sgemm_tuned has, wherever it fits.
template <class Tiles, int kPack, bool kShare>
void forced(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  if (M < Tiles::BM || N < Tiles::BN || (kPack == 4 && !aligned)) {
    return sgemm_tuned(A, B, C, M, N, K, stream);
  }
  sgemm_stream_k_launch<Tiles, kPack>(A, B, C, M, N, K, kShare, stream);
}

template <class Tiles, int kPack>
void check_tiles() {
  harness::check_all_sizes<problem::Sgemm>(
      {Tiles::BM, Tiles::BN, Tiles::BK},
      {
          {"a block per tile", forced<Tiles, kPack, false>, harness::Promise::same_bits},
          {"dealt out", forced<Tiles, kPack, true>, harness::Promise::same_bits},
      });
}
}  // namespace

TEST_CASE("sgemm_tuned: every choice of tiles is right at every size") {
  check_tiles<SmallTiles, 4>();
  check_tiles<SmallTiles, 1>();
  check_tiles<LargeTiles, 4>();
  check_tiles<LargeTiles, 1>();
}

TEST_CASE("sgemm_tuned: few tiles are dealt out, or small; many are large") {
  constexpr Gpu kH200{.sms = 132, .shared_bytes = 227 * 1024};
  const auto choose = [&](int M, int N, int K) {
    return choose_tiles(kTunedTiles, kH200, M, N, K);
  };
  CHECK(choose(63, 4096, 4096).tiles == nullptr);
  CHECK(choose(1024, 1024, 1024).tiles == &kTunedTiles[0]);
  CHECK_FALSE(choose(1024, 1024, 1024).share);
  CHECK(choose(2048, 2048, 2048).tiles == &kTunedTiles[1]);
  CHECK_FALSE(choose(2048, 2048, 2048).share);
  CHECK(choose(256, 256, 65536).tiles == &kTunedTiles[1]);
  CHECK(choose(256, 256, 65536).share);
  CHECK(choose(8192, 8192, 8192).tiles == &kTunedTiles[1]);

  constexpr Gpu kLittleShared{.sms = 132, .shared_bytes = 48 * 1024};
  CHECK(choose_tiles(kTunedTiles, kLittleShared, 8192, 8192, 8192).tiles == &kTunedTiles[0]);
}
