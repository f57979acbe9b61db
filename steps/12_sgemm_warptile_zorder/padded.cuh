// Copies of matrices with more rows and columns, which are zero.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

struct MatrixSize {
  int rows, cols;

  __host__ __device__ std::size_t elements() const { return std::size_t(rows) * cols; }
};

// One thread per element of `out`; both matrices are row-major, without gaps.
__global__ void resize_kernel(const float* in, MatrixSize in_size, float* out,
                              MatrixSize out_size) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= out_size.elements()) return;
  const int row = i / out_size.cols, col = i % out_size.cols;
  const bool is_inside = row < in_size.rows && col < in_size.cols;
  out[i] = is_inside ? in[row * std::size_t(in_size.cols) + col] : 0.0f;
}

inline void resize(const float* in, MatrixSize in_size, float* out, MatrixSize out_size,
                   cudaStream_t stream) {
  if (out_size.elements() == 0) return;
  constexpr int kBlockSize = 256;
  const unsigned blocks = (out_size.elements() - 1) / kBlockSize + 1;
  resize_kernel<<<blocks, kBlockSize, 0, stream>>>(in, in_size, out, out_size);
}
