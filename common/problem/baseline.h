#pragma once

#include <optional>

#include "problem/problem.h"

namespace problem {

/// The vendor libraries' launches (CUB, cuBLAS, cuDNN). None on the CPU backend, for an empty
/// shape, for sizes that the library's interface cannot take, and where the library is missing.
std::optional<Baseline> add_baseline(const Shape& shape);
std::optional<Baseline> sum_baseline(const Shape& shape);
std::optional<Baseline> gemv_baseline(const Shape& shape);
std::optional<Baseline> softmax_baseline(const Shape& shape);
std::optional<Baseline> transpose_baseline(const Shape& shape);
std::optional<Baseline> sgemm_baseline(const Shape& shape);

}  // namespace problem
