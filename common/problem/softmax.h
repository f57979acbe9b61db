#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "problem/problem.h"

namespace problem {

/// y[r][c] = exp(x[r][c] - max(x[r])) / (the sum of these over row r); row-major rows x cols.
struct Softmax {
  using Launch = void (*)(const float* x, float* y, std::size_t rows, std::size_t cols,
                          cudaStream_t stream);

  static const Problem& problem();

  static void call(Launch launch, const Operands& on, cudaStream_t stream) {
    launch(on.inputs[0], on.output, on.shape[0], on.shape[1], stream);
  }
};

}  // namespace problem
