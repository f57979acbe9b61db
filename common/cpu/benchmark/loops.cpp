#include "loops.h"

#include <algorithm>

namespace loops {

void add(const float* a, const float* b, float* c, Share share) {
  for (std::size_t i = share.begin; i < share.end; ++i) c[i] = a[i] + b[i];
}

float sum(const float* x, Share share) {
  float total = 0;
  for (std::size_t i = share.begin; i < share.end; ++i) total += x[i];
  return total;
}

void transpose(const float* in, float* out, std::size_t n, Share share) {
  for (std::size_t top = share.begin * kTile; top < share.end * kTile; top += kTile) {
    for (std::size_t left = 0; left < n; left += kTile) {
      for (std::size_t col = left; col < left + kTile; ++col) {
        for (std::size_t row = top; row < top + kTile; ++row) {
          out[col * n + row] = in[row * n + col];
        }
      }
    }
  }
}

void multiply(const float* A, const float* B, float* C, std::size_t n, Share share) {
  for (std::size_t i = share.begin; i < share.end; ++i) {
    float* row = C + i * n;
    std::fill(row, row + n, 0.0f);
    for (std::size_t k = 0; k < n; ++k) {
      const float a = A[i * n + k];
      for (std::size_t j = 0; j < n; ++j) row[j] += a * B[k * n + j];
    }
  }
}

}  // namespace loops
