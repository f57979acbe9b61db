// matrix_addition that cuts each row into packs of four.
//
// Row r starts at element r * N. If N is no multiple of four, most rows do not start on 16
// bytes, and neither do their packs.
//
// Rejected by: memcheck (misaligned)
#include <cuda_runtime.h>

#include <cstddef>

constexpr int kBlockSize = 256;  // threads in a block
constexpr int kPack = 4;         // floats in a 128-bit access

__global__ void add_float4_kernel(const float* a, const float* b, float* c, int n) {
  const std::size_t row = std::size_t{blockIdx.x} * n;  // a block a row
  for (int col = threadIdx.x * kPack; col < n; col += kBlockSize * kPack) {
    if (col + kPack <= n) {
      const float4 u = *reinterpret_cast<const float4*>(a + row + col);
      const float4 v = *reinterpret_cast<const float4*>(b + row + col);
      const float4 sum = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
      *reinterpret_cast<float4*>(c + row + col) = sum;
    } else {
      for (int tail = col; tail < n; ++tail) c[row + tail] = a[row + tail] + b[row + tail];
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
  add_float4_kernel<<<N, kBlockSize>>>(A, B, C, N);
}
