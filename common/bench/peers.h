#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "problem/problem.h"

namespace bench {

/// The peers of a problem beside the library call that steps are compared with: the kernels that
/// cublasLt's heuristics name for a product, and a product with one column for a matrix times
/// a vector. None on the CPU backend, for empty shapes, and for sizes beyond `int`.
std::vector<problem::Baseline> further_peers(const problem::Problem& problem,
                                             const problem::Shape& shape);

}  // namespace bench
