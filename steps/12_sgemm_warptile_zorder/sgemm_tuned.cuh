// Matrix product, C = A * B, row-major: picks a tile for sgemm_sum_float4, sgemm_stream_k or
// sgemm_two_groups by the shape, and whether blocks share tiles. If C is smaller than a tile, A and
// B get zeros around them, or the product goes to sgemm_pipelined; a thin one goes to a kernel for
// thin products. From sm_90 on, which has bulk copies, large products with aligned rows may go to
// sgemm_two_widths.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "further/tuned_choice.cuh"
#include "thin.cuh"

inline void run_choice(const TunedChoice& choice, const float* A, const float* B, float* C,
                       void* workspace, cudaStream_t stream) {
  const auto& [tiles, M, N, K, padded_M, padded_N, partition] = choice;
  WorkspaceCutter memory(workspace);
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
  float* const scratch = memory.take(choice.scratch());
  const bool aligned =
      padded_N % 4 == 0 && reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const bool whole = M >= tiles->BM && N >= tiles->BN && K % tiles->BK == 0;
  const auto launch = !aligned ? tiles->launch_any
                      : whole  ? tiles->launch_whole
                               : tiles->launch_aligned;
  launch(A, B, C, M, N, K, partition, scratch, stream);
}

// Bytes of a workspace with which a product is as fast as it can be on the current device.
inline std::size_t sgemm_tuned_workspace_bytes(int M, int N, int K) {
  if (M <= 0 || N <= 0) return 0;
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  const Gpu gpu = current_gpu();
  const TunedChoice choice = choose_tiles(kTunedTiles, gpu, M, N, K);
  const ThinChoice thin = choose_thin(gpu.sms, M, N, K, kAny);
  return thin.us < choice.expected_us(gpu.sms) ? workspace_bytes_of(thin.partial_floats(M, N))
                                               : choice.workspace_bytes();
}

// Allocates nothing. With less of a workspace, or none, it is slower where more would help.
inline void sgemm_tuned_within(  //
    const float* A, const float* B, float* C, int M, int N, int K, const Workspace& workspace,
    cudaStream_t stream) {
  if (M <= 0 || N <= 0) return;
  const Gpu gpu = current_gpu();
  const bool aligned = reinterpret_cast<std::uintptr_t>(B) % sizeof(float4) == 0;
  const TunedChoice choice = choose_tiles(kTunedTiles, gpu, M, N, K, workspace.bytes, aligned);
  ThinChoice thin = choose_thin(gpu.sms, M, N, K, workspace.bytes);
  if (thin.us >= choice.expected_us(gpu.sms)) {
    return run_choice(choice, A, B, C, workspace.data, stream);
  }
  thin.parts.C = static_cast<float*>(workspace.data);
  run_thin(thin, A, B, C, M, N, K, stream);
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
