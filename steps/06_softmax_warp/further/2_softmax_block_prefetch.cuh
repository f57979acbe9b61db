// Softmax of every row of a matrix, one block per row, which waits in registers: x is read once.
// Meanwhile the L2 cache fetches the row of a later block.
#pragma once

#include "../../instructions/device_attributes.cuh"
#include "../17_softmax_online.cuh"  // for rows of more than 1024 x 32 floats
#include "../span.cuh"
#include "../thread_part.cuh"
#include "prefetch.cuh"

// A thread has kFloats columns of the row. Those past its end count as -infinity: exp makes them 0.
template <int kThreads, int kFloats, bool kAligned>
__global__ void __launch_bounds__(kThreads, std::min((kFloats < 32 ? 1536 : 1024) / kThreads, 32))
    softmax_block_prefetch_kernel(const float* x, float* y, std::size_t rows, unsigned cols,
                                  unsigned ahead) {
  __shared__ Part partial[kWarpSize];
  // A row that does not start on 16 bytes has one pack more than its length suggests.
  constexpr int kPack = 4, kPacks = kFloats / kPack + (kAligned ? 0 : 1);
  const std::size_t row = blockIdx.x;
  const unsigned shift = kAligned ? 0 : misalignment(x + row * cols);
  const float* const in = x + row * cols - shift;
  float* const out = y + row * cols - shift;
  const unsigned first_pack = threadIdx.x;
  float part[kPacks][kPack];

#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const unsigned i = first_pack + p * kThreads;
    auto& pack = part[p];
    for (float& value : pack) value = -INFINITY;
    load_span<kAligned>(in, shift, shift + cols, i, pack);
  }

  // Memory need not be idle while the threads compute.
  prefetch_row(x, row + ahead, rows, cols, 0, kThreads * kFloats);

  const Part own = take_exponentials(part);
  const Part all = block_merge(own, partial);

  const float scale = fast_exp(own.max - all.max) / all.sum;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const unsigned i = first_pack + p * kThreads;
    auto& pack = part[p];
    for (float& value : pack) value *= scale;
    store_span<kAligned>(out, shift, shift + cols, i, pack);
  }
}

template <int kThreads, int kFloats, bool kAligned>
void launch_softmax_block_prefetch(const float* x, float* y, std::size_t rows, unsigned cols,
                                   cudaStream_t stream) {
  if (kFloats < 32 && cols > kThreads * kFloats) {
    constexpr int kMoreThreads = std::min(2 * kThreads, 1024);
    constexpr int kMoreFloats = kThreads == 1024 ? 32 : 16;  // more threads come first
    return launch_softmax_block_prefetch<kMoreThreads, kMoreFloats, kAligned>(x, y, rows, cols,
                                                                              stream);
  }
  // Any further ahead, and L2 would evict some of it before it is wanted.
  const std::size_t bytes = multiprocessors() * (kThreads < 1024 ? 48 : 64) * std::size_t{1024};
  const auto ahead = static_cast<unsigned>(bytes / (cols * sizeof(float)));
  const auto kernel = softmax_block_prefetch_kernel<kThreads, kFloats, kAligned>;
  kernel<<<grid_size(rows), kThreads, 0, stream>>>(x, y, rows, cols, ahead);
}

inline void softmax_block_prefetch(const float* x, float* y, std::size_t rows, std::size_t cols,
                                   cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const bool fits = cols <= 32 * 1024 && rows <= INT_MAX && misalignment(x) == misalignment(y);
  if (!fits) return softmax_online(x, y, rows, cols, stream);
  const bool aligned = rows_are_aligned(x, y, cols);
  const auto launch = aligned ? launch_softmax_block_prefetch<32, 16, true>
                              : launch_softmax_block_prefetch<32, 16, false>;
  launch(x, y, rows, static_cast<unsigned>(cols), stream);
}
