#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/problem.h"

namespace bench {

/// How large the shapes of a map may be.
struct MapLimits {
  double bytes = 0;  ///< of inputs and output together
  double flops = 0;  ///< of the plain formula; 0: as many as the bytes allow
};

/// `count` shapes of a problem within the limits, drawn at random: every size log-uniform from 1
/// on, each time anew where a shape is too large. The same for the same arguments, on every
/// machine.
std::vector<problem::Shape> draw_shapes(const problem::Problem& problem, std::uint64_t seed,
                                        std::size_t count, const MapLimits& limits);

}  // namespace bench
