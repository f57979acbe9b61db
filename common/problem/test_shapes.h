#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "problem/problem.h"

namespace problem {

/// `tiles` as unsigned sizes. Throws `std::invalid_argument` unless there are `count` of them, each
/// at least 2, so that one less is still a size of its own.
std::vector<std::size_t> tile_sizes(std::span<const int> tiles, std::size_t count);

/// The test shapes of a problem with one size, from its tile {n}.
std::vector<Shape> vector_shapes(std::span<const int> tiles);

}  // namespace problem
