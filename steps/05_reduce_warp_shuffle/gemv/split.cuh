// How many blocks share long rows.
#pragma once

#include <algorithm>
#include <cstddef>

constexpr std::size_t kSplitShare = 4 * 8 * 512;  // floats of a row: some turns of a block

// Blocks per row of k floats, or per group of rows that go together.
inline unsigned split_parts(std::size_t groups, std::size_t k) {
  constexpr std::size_t kMaxBlocks = 16384;  // and atomics: a block starts for far more work
  const std::size_t shares = (k + kSplitShare - 1) / kSplitShare;
  return static_cast<unsigned>(
      std::clamp<std::size_t>(shares, 1, std::max<std::size_t>(kMaxBlocks / groups, 1)));
}
