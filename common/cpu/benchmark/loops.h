// The work of the benchmark's kernels as plain loops, for one thread's share of it.
#pragma once

#include <cstddef>

namespace loops {

// One thread's part of the work: items [begin, end).
struct Share {
  std::size_t begin;
  std::size_t end;
};

// c[i] = a[i] + b[i]; items are elements.
void add(const float* a, const float* b, float* c, Share share);

// The sum of x[i], one addition after the other; items are elements.
float sum(const float* x, Share share);

// The transpose of an n x n matrix, kTile x kTile elements at a time: over a whole row of the one,
// the accesses to the other would miss the cache every time. Items are rows of tiles; n is a
// multiple of kTile.
inline constexpr std::size_t kTile = 32;
void transpose(const float* in, float* out, std::size_t n, Share share);

// C = A B, n x n; for each row of C, the rows of B times the elements of A's row are added up.
// Items are rows.
void multiply(const float* A, const float* B, float* C, std::size_t n, Share share);

}  // namespace loops
