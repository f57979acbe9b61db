// Softmax of every row of a matrix, one block per row, which waits in registers: x is read once.
// Accesses have 128 bits wherever a row starts.
#pragma once

#include "17_softmax_online.cuh"  // for rows of more than 1024 x 32 floats
#include "span.cuh"

// A thread has kFloats columns of the row. Those past its end count as -infinity: exp makes them 0.
template <int kThreads, int kFloats, bool kAligned>
__global__ void __launch_bounds__(kThreads, std::min((kFloats < 32 ? 1536 : 1024) / kThreads, 32))
    softmax_block_shifts_kernel(const float* x, float* y, unsigned cols) {
  __shared__ Part partial[kWarpSize];
  // A row that does not start on 16 bytes has one pack more than its length suggests.
  constexpr int kPack = 4, kPacks = kFloats / kPack + (kAligned ? 0 : 1);
  const std::size_t row = blockIdx.x;
  const unsigned shift = kAligned ? 0 : misalignment(x + row * cols);
  const float* const in = x + row * cols - shift;
  float* const out = y + row * cols - shift;
  const unsigned first_pack = threadIdx.x;
  float part[kPacks][kPack];

  Part own = {kBelowAll, 0.0f};
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const unsigned i = first_pack + p * kThreads;
    auto& pack = part[p];
    for (float& value : pack) value = -INFINITY;
    load_span<kAligned>(in, shift, shift + cols, i, pack);
    for (const float value : pack) own.max = fmaxf(own.max, value);
  }

  // Relative to the thread's own maximum, which is known first. The last factor makes up for it.
#pragma unroll
  for (auto& pack : part) {
    for (float& value : pack) own.sum += value = expf(value - own.max);
  }
  const Part all = block_merge(own, partial);

  const float scale = expf(own.max - all.max) / all.sum;
#pragma unroll
  for (int p = 0; p < kPacks; ++p) {
    const unsigned i = first_pack + p * kThreads;
    auto& pack = part[p];
    for (float& value : pack) value *= scale;
    store_span<kAligned>(out, shift, shift + cols, i, pack);
  }
}

template <int kThreads, int kFloats, bool kAligned>
void launch_softmax_block_shifts(const float* x, float* y, std::size_t rows, unsigned cols,
                                 cudaStream_t stream) {
  if (kFloats < 32 && cols > kThreads * kFloats) {
    constexpr int kMoreThreads = std::min(2 * kThreads, 1024);
    constexpr int kMoreFloats = kThreads == 1024 ? 32 : 16;  // more threads come first
    return launch_softmax_block_shifts<kMoreThreads, kMoreFloats, kAligned>(x, y, rows, cols,
                                                                            stream);
  }
  const auto kernel = softmax_block_shifts_kernel<kThreads, kFloats, kAligned>;
  kernel<<<grid_size(rows), kThreads, 0, stream>>>(x, y, cols);
}

inline void softmax_block_shifts(const float* x, float* y, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const bool fits = cols <= 32 * 1024 && rows <= INT_MAX && misalignment(x) == misalignment(y);
  if (!fits) return softmax_online(x, y, rows, cols, stream);
  const bool aligned = rows_are_aligned(x, y, cols);
  const auto launch = aligned ? launch_softmax_block_shifts<32, 16, true>
                              : launch_softmax_block_shifts<32, 16, false>;
  launch(x, y, rows, static_cast<unsigned>(cols), stream);
}
