// How many blocks share long rows.
#pragma once

#include <algorithm>
#include <cstddef>

constexpr std::size_t kSplitShare = 8 * 512;  // floats of a row: a turn or two of a block
// Below this, one block has its row before others could help it.
constexpr std::size_t kWorthSplitting = 16 * kSplitShare;

// Blocks per row of k floats, or per group of rows that go together.
inline unsigned split_parts(std::size_t groups, std::size_t k) {
  constexpr std::size_t kMaxBlocks = 16384;  // and atomics: a block starts for far more work
  const std::size_t shares = (k + kSplitShare - 1) / kSplitShare;
  return static_cast<unsigned>(
      std::clamp<std::size_t>(shares, 1, std::max<std::size_t>(kMaxBlocks / groups, 1)));
}
