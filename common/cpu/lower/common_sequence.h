// The longest common subsequence of two rows of numbers, after E. W. Myers, "An O(ND) Difference
// Algorithm and Its Variations", 1986.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace cucpu::lower {

// Pairs of places, ascending, at which the rows have equal elements.
std::vector<std::pair<std::size_t, std::size_t>> common_sequence(const std::vector<std::size_t>& a,
                                                                 const std::vector<std::size_t>& b);

}  // namespace cucpu::lower
