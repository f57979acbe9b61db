#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "problem/problem.h"

namespace problem {

/// y = A x for a matrix A of m x k, row-major; zeros for k = 0.
struct Gemv {
  using Launch = void (*)(const float* a, const float* x, float* y, std::size_t m, std::size_t k,
                          cudaStream_t stream);

  static const Problem& problem();

  static void call(Launch launch, const Operands& on, cudaStream_t stream) {
    launch(on.inputs[0], on.inputs[1], on.output, on.shape[0], on.shape[1], stream);
  }
};

}  // namespace problem
