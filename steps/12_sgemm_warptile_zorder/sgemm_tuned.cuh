// Matrix product, C = A * B, row-major: picks a tile for sgemm_stream_k by the shape, and whether
// tiles are dealt out. A matrix smaller than a tile goes to sgemm_pipelined, or gets zeros around
// it. From sm_90 on, large products with aligned rows are sgemm_wide's; older GPUs know no bulk
// copies.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "further/measured_tiles.cuh"
#include "padded.cuh"
#include "tuned_costs.cuh"
#include "workspace.cuh"

// A way to compute a product of M x N x K.
struct TunedChoice {
  const TunedTiles* tiles = nullptr;
  int M = 0, N = 0, K = 0;
  int padded_M = 0, padded_N = 0;  // with zeros around it, as large as a tile
  Partition partition = {};

  bool pads_A() const { return padded_M > M; }
  bool pads_B() const { return padded_N > N; }
  bool pads_C() const { return pads_A() || pads_B(); }
  MatrixSize padded_A() const { return {padded_M, K}; }
  MatrixSize padded_B() const { return {K, padded_N}; }
  MatrixSize padded_C() const { return {padded_M, padded_N}; }
  std::size_t panels() const { return tiles->in_panels ? panel_floats(tiles->BM, padded_M, K) : 0; }
  // Floats that the kernels need beside the operands: panels, then partial tiles.
  std::size_t scratch() const { return panels() + partial_floats(tiles->BM, tiles->BN, partition); }

  std::size_t workspace_bytes() const {
    std::size_t bytes = workspace_bytes_of(scratch());
    if (pads_A()) bytes += workspace_bytes_of(padded_A().elements());
    if (pads_B()) bytes += workspace_bytes_of(padded_B().elements());
    if (pads_C()) bytes += workspace_bytes_of(padded_C().elements());
    return bytes;
  }

  double panels_us() const {
    return tiles->in_panels ? kPanelsUs + kPanelsPsPerFloat * panels() / 1e6 : 0;
  }
  double expected_us(int sms) const {
    double us = ::expected_us(*tiles, partition, sms, padded_M, padded_N, K) + panels_us();
    const auto resize = [&](MatrixSize size) {
      us += kResizeUs + kResizePsPerFloat * size.elements() / 1e6;
    };
    if (pads_A()) resize(padded_A());
    if (pads_B()) resize(padded_B());
    if (pads_C()) resize(padded_C());
    return us;
  }
};

// With `share`, tiles are dealt out where that is possible.
inline TunedChoice choice_of(const TunedTiles& tiles, bool share, int sms, int M, int N, int K) {
  const int padded_M = tiles.fits_all ? M : std::max(M, tiles.BM);
  const int padded_N = tiles.fits_all ? N : std::max(N, tiles.BN);
  return {&tiles,
          M,
          N,
          K,
          padded_M,
          padded_N,
          make_partition(tiles, sms, padded_M, padded_N, K, share && !tiles.fits_all)};
}

// The estimates are no better than that: a choice that gains less is none.
inline constexpr double kLeastGainUs = 2;

// The choice that should be fastest, of those that a workspace of `bytes` is enough for.
// `aligned`: B begins at a multiple of 16 bytes.
inline TunedChoice choose_tiles(  //
    std::span<const TunedTiles> all, const Gpu& gpu, int M, int N, int K,
    std::size_t bytes = std::numeric_limits<std::size_t>::max(), bool aligned = true) {
  TunedChoice best;
  double best_us = std::numeric_limits<double>::infinity();
  for (const TunedTiles& tiles : all) {
    if (tiles.shared_bytes > gpu.shared_bytes) continue;
    const bool suits_panels =
        gpu.bulk_copies && aligned && N % 4 == 0 && M >= tiles.BM && N >= tiles.BN && K > 0;
    if (tiles.in_panels && !suits_panels) continue;
    for (const bool share : {false, true}) {
      const TunedChoice choice = choice_of(tiles, share, gpu.sms, M, N, K);
      const double us = choice.expected_us(gpu.sms);
      if (us > best_us - kLeastGainUs || choice.workspace_bytes() > bytes) continue;
      best = choice;
      best_us = us;
    }
  }
  return best;
}

inline void run_choice(const TunedChoice& choice, const float* A, const float* B, float* C,
                       void* workspace, cudaStream_t stream) {
  const auto& [tiles, M, N, K, padded_M, padded_N, partition] = choice;
  WorkspaceCutter memory(workspace);
  float* const result = C;
  if (choice.pads_A()) {
    float* const padded = memory.take(choice.padded_A().elements());
    resize(A, {M, K}, padded, choice.padded_A(), stream);
    A = padded;
  }
  if (choice.pads_B()) {
    float* const padded = memory.take(choice.padded_B().elements());
    resize(B, {K, N}, padded, choice.padded_B(), stream);
    B = padded;
  }
  if (choice.pads_C()) C = memory.take(choice.padded_C().elements());
  float* const scratch = memory.take(choice.scratch());
  const bool aligned =
      padded_N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const auto launch = aligned ? tiles->launch_aligned : tiles->launch_any;
  launch(A, B, C, padded_M, padded_N, K, partition, scratch, stream);
  if (choice.pads_C()) resize(C, choice.padded_C(), result, {M, N}, stream);
}

// Bytes of a workspace with which a product is as fast as it can be on the current device.
inline std::size_t sgemm_tuned_workspace_bytes(int M, int N, int K) {
  if (M <= 0 || N <= 0) return 0;
  return choose_tiles(kTunedTiles, current_gpu(), M, N, K).workspace_bytes();
}

// Allocates nothing. With less of a workspace, or none, it is slower where more would help.
inline void sgemm_tuned_within(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Workspace& workspace,
    cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  const bool aligned = reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  run_choice(choose_tiles(kTunedTiles, current_gpu(), M, N, K, workspace.bytes, aligned), A, B, C,
             workspace.data, stream);
}

// The same with a workspace from the stream's memory pool.
inline void sgemm_tuned(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  Workspace workspace{nullptr, sgemm_tuned_workspace_bytes(M, N, K)};
  if (workspace.bytes > 0 &&
      cudaMallocAsync(&workspace.data, workspace.bytes, stream) != cudaSuccess) {
    cudaGetLastError();
    workspace = {};
  }
  sgemm_tuned_within(A, B, C, M, N, K, workspace, stream);
  if (workspace.data != nullptr) cudaFreeAsync(workspace.data, stream);
}
