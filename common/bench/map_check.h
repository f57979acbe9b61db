#pragma once

#include <cuda_runtime.h>

#include "problem/problem.h"

namespace bench {

/// Counts what is wrong in the output of a launch, on the device, however large it is: elements
/// that are NaN, as in an output that was poisoned, and among a sample of elements (of rows for a
/// softmax; all of them for a transpose) those that differ from the right value in fp64 by more
/// than rounding explains. Inputs must be finite. Waits for the stream.
std::size_t wrong_elements(const problem::Problem& problem, const problem::Operands& operands,
                           cudaStream_t stream);

}  // namespace bench
