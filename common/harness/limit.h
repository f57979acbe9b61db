#pragma once

#include <cstddef>
#include <utility>

#include "device/l2_flush.h"
#include "device/roof.h"
#include "problem/problem.h"

namespace harness {

/// The arrays that a kernel reads and writes where memory is what limits it.
std::pair<int, int> reads_and_writes(problem::Limit limit);

/// In what state the L2 cache has to be for a fair start.
device::Lines lines_before(problem::Limit limit);

/// The highest rate of this device where `limit` is what limits, measured now.
device::Roof measure_roof(problem::Limit limit);

/// The same for arrays of this size; of memory traffic only.
device::Roof measure_traffic(problem::Limit limit, std::size_t bytes_per_array);

}  // namespace harness
