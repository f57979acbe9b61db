#pragma once

#include <vector>

#include "problem/problem.h"

namespace problem {

/// The vendor libraries' launches (CUB, cuBLAS, cublasLt, cuDNN), the one that a library chooses
/// itself first. None on the CPU backend, for an empty shape, for sizes that the library's
/// interface cannot take, and where the library is missing.
std::vector<Baseline> add_baselines(const Shape& shape);
std::vector<Baseline> sum_baselines(const Shape& shape);
std::vector<Baseline> gemv_baselines(const Shape& shape);
std::vector<Baseline> softmax_baselines(const Shape& shape);
std::vector<Baseline> transpose_baselines(const Shape& shape);
std::vector<Baseline> sgemm_baselines(const Shape& shape);

}  // namespace problem
