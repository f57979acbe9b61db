// sgemm_tuned that takes the first part of a tile from its sharer's second place, always.
//
// That is where it is if the sharer began with another tile. One that begins with this tile has put
// its part in its first place, and has written nothing to the second.
//
// Rejected by: initcheck (uninitialized) with --m 64 --n 128 --k 160
#pragma once

#include "../kernel.cuh"

namespace always_second {

// Adds up what was put aside of tile blockIdx.y, element by element and always in the same order.
// An element has blockDim.y threads, which take turns at its parts: one alone would wait long for
// many.
template <class Tiles>
__global__ void __launch_bounds__(kThreads)
    add_shares_kernel(const float* aside, float* C, int M, int N, Schedule schedule) {
  constexpr int BM = Tiles::BM, BN = Tiles::BN;
  const int tile = blockIdx.y;
  const std::int64_t begin = std::int64_t{tile} * schedule.slices;
  const int first = schedule.sharer_of(begin);
  const int last = schedule.sharer_of(begin + schedule.slices - 1);
  if (first == last) return;  // nobody put anything aside
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  float sum = 0.0f;
#pragma unroll 16
  for (int sharer = first + threadIdx.y; sharer <= last; sharer += blockDim.y) {
    // The first one has begun with another tile; for the others this one is their first.
    const int second = sharer == first ? 1 : 0;
    sum += aside[(2 * sharer + second) * std::size_t{BM * BN} + i];
  }
  if (blockDim.y > 1) {
    __shared__ float sums[kThreads];
    sums[threadIdx.y * blockDim.x + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0) return;
    for (unsigned y = 1; y < blockDim.y; ++y) sum += sums[y * blockDim.x + threadIdx.x];
  }

  const TilePlace place = place_of<Tiles>(tile, M, N);
  const int row = place.row + i / BN;
  const int col = place.col + i % BN;
  if (row >= place.own_row && col >= place.own_col) C[row * std::size_t(N) + col] = sum;
}

template <class Tiles>
void launch_sgemm_tuned(const float* A, const float* B, float* C, int M, int N, int K, bool share,
                        cudaStream_t stream) {
  constexpr int BM = Tiles::BM, BN = Tiles::BN;
  int device = 0;
  int sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);

  const int tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
  const int at_once = sms * Tiles::kBlocksPerSm;
  Schedule schedule{.shared = 0, .sharers = 0, .slices = std::max(K - 1, 0) / Tiles::BK + 1};
  float* aside = nullptr;
  if (share && tiles % at_once != 0) {
    schedule.shared = tiles % at_once;
    schedule.sharers = static_cast<int>(std::min<std::int64_t>(at_once, schedule.shared_slices()));
    const std::size_t bytes = 2 * std::size_t(schedule.sharers) * BM * BN * sizeof(float);
    if (cudaMallocAsync(reinterpret_cast<void**>(&aside), bytes, stream) != cudaSuccess) return;
  }
  const auto kernel = sgemm_tuned_kernel<Tiles>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tiles::kSharedBytes);
  const unsigned blocks = tiles - schedule.shared + schedule.sharers;
  kernel<<<blocks, Tiles::kBlock, Tiles::kSharedBytes, stream>>>(A, B, C, M, N, K, schedule, aside,
                                                                 1.0f);
  if (aside != nullptr) {
    static_assert(BM * BN % kThreads == 0, "blocks fill the tile");
    constexpr int kManyParts = 16;  // of a tile
    const unsigned threads_an_element = schedule.sharers >= kManyParts * schedule.shared ? 4 : 1;
    const dim3 block(kThreads / threads_an_element, threads_an_element);
    const dim3 grid(BM * BN / block.x, schedule.shared);
    always_second::add_shares_kernel<Tiles><<<grid, block, 0, stream>>>(aside, C, M, N, schedule);
    cudaFreeAsync(aside, stream);
  }
}
inline void sgemm_tuned(  //
    const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Tiles = SmallTiles<1>;
  if (M < Tiles::BM || N < Tiles::BN) return sgemm_pipelined(A, B, C, M, N, K, stream);
  always_second::launch_sgemm_tuned<Tiles>(A, B, C, M, N, K, true, stream);
}

}  // namespace always_second
