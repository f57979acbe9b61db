// How many blocks share long rows.
#pragma once

#include <algorithm>
#include <cstddef>

constexpr std::size_t kSplitShare = 8 * 512;  // floats of a row: a turn or two of a block
// A row shorter than this is done by one block before others could help.
constexpr std::size_t kWorthSplitting = 16 * kSplitShare;

// Blocks per row of k floats, or per group of rows that go together.
inline unsigned split_parts(std::size_t groups, std::size_t k) {
  constexpr std::size_t kMaxBlocks = 16384;  // each costs a start and an atomic
  const std::size_t shares = (k + kSplitShare - 1) / kSplitShare;
  return static_cast<unsigned>(
      std::clamp<std::size_t>(shares, 1, std::max<std::size_t>(kMaxBlocks / groups, 1)));
}
