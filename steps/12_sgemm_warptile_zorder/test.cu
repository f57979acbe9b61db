#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "device/buffer.h"
#include "harness/step_test.h"
#include "rungs_here.h"

TEST_CASE("every kernel is right at every size") { harness::check_all_sizes(kStep); }

namespace {
// One of the choices that sgemm_tuned has, at every size.
template <int kTiles, bool kShare>
void forced(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  if (!suits(kTunedTiles[kTiles], current_gpu(), M, N, K, aligned))
    return sgemm_tuned(A, B, C, M, N, K, stream);
  const TunedChoice choice = choice_of(kTunedTiles[kTiles], kShare, multiprocessors(), M, N, K);
  void* workspace = nullptr;
  if (choice.workspace_bytes() > 0)
    REQUIRE(cudaMallocAsync(&workspace, choice.workspace_bytes(), stream) == cudaSuccess);
  run_choice(choice, A, B, C, workspace, stream);
  if (workspace != nullptr) cudaFreeAsync(workspace, stream);
}

template <int kTiles = 0>
void check_tiles() {
  const TunedTiles& tiles = kTunedTiles[kTiles];
  CAPTURE(tiles.name);
  harness::check_all_sizes<problem::Sgemm>(
      {tiles.BM, tiles.BN, 16},
      {
          {"a block per tile", forced<kTiles, false>, harness::Promise::same_bits},
          {"dealt out", forced<kTiles, true>, harness::Promise::same_bits},
      });
  if constexpr (kTiles + 1 < std::size(kTunedTiles)) check_tiles<kTiles + 1>();
}

constexpr Gpu kH200{.sms = 132, .shared_bytes = 227 * 1024, .bulk_copies = true};
TunedChoice choose(int M, int N, int K) { return choose_tiles(kTunedTiles, kH200, M, N, K); }
std::string name_of(const TunedChoice& choice) { return choice.tiles->name; }
}  // namespace

TEST_CASE("sgemm_tuned: every choice of tiles is right at every size") { check_tiles(); }

namespace {
// A kernel whose blocks share all tiles, on a GPU with `kSms` SMs.
template <int kSms, auto kRung, auto kLaunch, auto kShares>
void shared_by(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tile = WideTallTiles;
  const bool aligned = N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  if (M < Tile::BM || N < Tile::BN || K < 1 || !aligned) return kRung(A, B, C, M, N, K, stream);
  const auto shares = kShares(M, N, K, kSms);
  const std::size_t floats = panel_memory_floats(Tile::BM, Tile::BN, M, K, 2 * shares.sharers);
  float* memory = nullptr;
  REQUIRE(cudaMallocAsync(&memory, floats * sizeof(float), stream) == cudaSuccess);
  kLaunch(A, B, C, M, N, K, shares, memory, stream);
  cudaFreeAsync(memory, stream);
}

template <int kSms>
void check_shares() {
  using Tile = WideTallTiles;
  CAPTURE(kSms);
  constexpr auto equal = make_shares<Tile>;
  constexpr auto same_bits = harness::Promise::same_bits;
  harness::check_all_sizes<problem::Sgemm>(
      {Tile::BM, Tile::BN, Tile::BK},
      {
          {"sgemm_persistent",
           shared_by<kSms, sgemm_persistent, sgemm_persistent_launch<Tile>, equal>, same_bits},
          {"sgemm_sum_inside",
           shared_by<kSms, sgemm_sum_inside, sgemm_sum_inside_launch<Tile>, equal>, same_bits},
          {"sgemm_no_barrier",
           shared_by<kSms, sgemm_no_barrier, sgemm_no_barrier_launch<Tile>, equal>, same_bits},
          {"sgemm_two_widths",
           shared_by<kSms, sgemm_two_widths, sgemm_two_widths_launch<Tile>, make_two_widths<Tile>>,
           same_bits},
      });
}
}  // namespace

TEST_CASE("blocks that share all tiles: right whatever the number of SMs") {
  check_shares<1>();
  check_shares<5>();
  check_shares<132>();
}

TEST_CASE("sgemm_tuned: few tiles are dealt out, or small; many are large") {
  CHECK(name_of(choose(1024, 1024, 1024)) == "GroupTiles");
  CHECK(name_of(choose(1024, 1024, 1040)) != "GroupTiles");  // half a slice is left
  CHECK(name_of(choose(1024, 1023, 1024)) != "GroupTiles");
  CHECK_FALSE(choose(1024, 1024, 1024).partition.shared > 0);
  CHECK(name_of(choose(2048, 2048, 2048)) == "ShallowTiles");
  CHECK_FALSE(choose(2048, 2048, 2048).partition.shared > 0);
  CHECK(name_of(choose(256, 256, 65536)) == "ShallowTiles");
  CHECK(choose(256, 256, 65536).partition.shared > 0);
  CHECK(name_of(choose(4097, 4095, 4099)) == "LargeTiles");
  CHECK(name_of(choose(2048, 2047, 2048)) != "ShallowTiles");

  constexpr Gpu kLittleShared{.sms = 132, .shared_bytes = 48 * 1024, .bulk_copies = false};
  const TunedChoice little = choose_tiles(kTunedTiles, kLittleShared, 8192, 8192, 8192);
  CHECK(name_of(little) != "LargeTiles");
  CHECK(name_of(little) != "ShallowTiles");
}

TEST_CASE(
    "sgemm_tuned: large ones are sgemm_two_widths', where bulk copies and a workspace allow it") {
  const TunedChoice wide = choose(8192, 8192, 8192);
  CHECK(name_of(wide) == "WideTallTiles");
  CHECK(name_of(choose(4096, 4096, 4096)) == "WideTallTiles");
  CHECK(name_of(choose(2304, 8192, 8192)) == "WideTiles");  // 256 divides 2304, and 512 does not
  CHECK(wide.workspace_bytes() > 8192 * 8192 * sizeof(float));  // A in panels; and partial tiles
  CHECK(name_of(choose(8192, 8190, 8192)) == "LargeTiles");
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  CHECK(name_of(choose_tiles(kTunedTiles, kH200, 8192, 8192, 8192, kAny, false)) == "LargeTiles");
  CHECK(name_of(choose_tiles(kTunedTiles, kH200, 8192, 8192, 8192, 1 << 27)) == "ShallowTiles");
  constexpr Gpu kA100{.sms = 108, .shared_bytes = 163 * 1024, .bulk_copies = false};
  CHECK(name_of(choose_tiles(kTunedTiles, kA100, 8192, 8192, 8192)) == "ShallowTiles");
}

TEST_CASE("sgemm_tuned: a long thin matrix gets zeros around it, a small one is not worth them") {
  const TunedChoice few_rows = choose(33, 5000, 5000), few_columns = choose(4096, 64, 4096);
  CHECK(few_rows.padded_M == 64);
  CHECK(few_rows.padded_N == 5000);
  CHECK(few_rows.partition.shared > 0);
  CHECK(few_rows.workspace_bytes() > 64 * 5000 * sizeof(float));  // A; and partial tiles
  CHECK(name_of(few_columns) == "TallTiles");
  CHECK_FALSE(few_columns.pads_B());
  CHECK(name_of(choose(28, 9000, 900000)) == "FlatTiles");
  CHECK(name_of(choose(16, 16, 16)) == "GuardedTiles");
  CHECK(choose(16, 16, 16).workspace_bytes() == 0);
}

TEST_CASE("sgemm_tuned: with less of a workspace it does what that is enough for") {
  for (const auto& [M, N, K] : {std::array{33, 300, 200}, std::array{300, 40, 200},
                                std::array{130, 260, 400}, std::array{256, 256, 4096}}) {
    const TunedChoice all = choose(M, N, K);
    const std::size_t bytes = all.workspace_bytes();
    CHECK(choose_tiles(kTunedTiles, kH200, M, N, K, bytes).workspace_bytes() == bytes);
    if (bytes == 0) continue;
    const TunedChoice less = choose_tiles(kTunedTiles, kH200, M, N, K, bytes - 1);
    CHECK(less.workspace_bytes() < bytes);
    CHECK(less.expected_us(kH200.sms) + kLeastGainUs >= all.expected_us(kH200.sms));
    CHECK(choose_tiles(kTunedTiles, kH200, M, N, K, 0).workspace_bytes() == 0);
  }
}

namespace {
void without_workspace(const float* A, const float* B, float* C, int M, int N, int K,
                       cudaStream_t stream) {
  sgemm_tuned_within(A, B, C, M, N, K, {}, stream);
}
}  // namespace

TEST_CASE("sgemm_tuned: right at every size without a workspace, too") {
  harness::check_all_sizes<problem::Sgemm>(
      {SmallTiles::BM, SmallTiles::BN, SmallTiles::BK},
      {{"no workspace", without_workspace, harness::Promise::same_bits}});
}

namespace {
// One of the choices for thin products, at every size, whole or shared along K.
template <int kTiles, bool kShare>
void forced_thin(const float* A, const float* B, float* C, int M, int N, int K,
                 cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  const ThinTiles& tiles = kThinTiles[kTiles];
  const int shortest = tiles.shortest_part;
  const bool shares = kShare && shortest > 0 && K >= shortest;
  Parts parts = shares ? Parts{(K - 1) / shortest + 1, shortest} : Parts{1, K};
  const std::size_t bytes = sizeof(float) * parts.count * M * N;
  REQUIRE(cudaMallocAsync(&parts.C, bytes, stream) == cudaSuccess);
  run_thin({&tiles, parts}, A, B, C, M, N, K, stream);
  cudaFreeAsync(parts.C, stream);
}

template <int kTiles = 0>
void check_thin_tiles() {
  const ThinTiles& tiles = kThinTiles[kTiles];
  CAPTURE(tiles.name);
  harness::check_all_sizes<problem::Sgemm>(
      {std::max(tiles.BM, 2), tiles.BN, 64},
      {
          {"whole", forced_thin<kTiles, false>, harness::Promise::same_bits},
          {"shared", forced_thin<kTiles, true>, harness::Promise::same_bits},
      });
  if constexpr (kTiles + 1 < std::size(kThinTiles)) check_thin_tiles<kTiles + 1>();
}
}  // namespace

TEST_CASE("thin products: every choice is right at every size") { check_thin_tiles(); }

namespace {
int times_forced[std::size(kShortK)] = {};

// One of the choices for a short K; sgemm_tuned, if it is no candidate for the product.
template <int kTiles>
void forced_short(const float* A, const float* B, float* C, int M, int N, int K,
                  cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  for (const ThinTiles& tiles : short_k_tiles_for(M, N, K)) {
    if (&tiles != &kShortK[kTiles]) continue;
    ++times_forced[kTiles];
    return run_thin({&tiles, {1, K}}, A, B, C, M, N, K, stream);
  }
  sgemm_tuned(A, B, C, M, N, K, stream);
}

template <int kTiles = 0>
void check_short_k() {
  CAPTURE(kShortK[kTiles].name);
  for (const int K : {16, 48, 64}) {
    harness::check_all_sizes<problem::Sgemm>(
        {16, kShortK[kTiles].BN, K},
        {{"forced", forced_short<kTiles>, harness::Promise::same_bits}});
  }
  CHECK(times_forced[kTiles] > 0);
  if constexpr (kTiles + 1 < std::size(kShortK)) check_short_k<kTiles + 1>();
}
}  // namespace

TEST_CASE("a short K: every choice is right at every size") { check_short_k(); }

TEST_CASE("few rows: what is loaded again past the end of K counts once, infinity included") {
  constexpr int N = 5, K = 40;
  std::vector<float> a(K, 1.0f), b(K * N, 1.0f), c(N);
  a.back() = std::numeric_limits<float>::infinity();
  device::Buffer<float> A(a.size()), B(b.size()), C(c.size());
  A.upload(a);
  B.upload(b);
  sgemm_few_rows(A.data(), B.data(), C.data(), 1, N, K, nullptr);
  C.download(c);
  for (const float sum : c) CHECK(sum == a.back());
}

TEST_CASE("thin products: the choice follows the thin sides") {
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  const auto name = [](int M, int N, int K) {
    return std::string(choose_thin(kH200.sms, M, N, K, kAny).tiles->name);
  };
  CHECK(name(1, 6, 1'906'821'899) == "few rows");
  CHECK(name(2, 18'000'000, 110) == "few rows");
  CHECK(name(30, 40, 2) == "elements");
  CHECK(name(3'000'000, 1, 500) == "2 columns");
  CHECK(name(10, 5000, 5000) == "16x128");
  CHECK(name(5000, 15, 5000) == "128x16");
  CHECK(name(5'000'000, 30, 3) == "short K");
  CHECK(name(3, 200000, 12) == "short K, two columns");
  CHECK(name(5000, 5000, 32) == "medium K");
  CHECK(name(5000, 5001, 63) == "medium K");
  CHECK(name(5000, 5000, 3) == "short K, lines");
  // Without a workspace nothing is shared.
  CHECK(choose_thin(kH200.sms, 10, 500, 50000, kAny).parts.count > 1);
  CHECK(choose_thin(kH200.sms, 10, 500, 50000, 0).parts.count == 1);
}
