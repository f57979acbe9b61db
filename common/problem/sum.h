#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "problem/problem.h"

namespace problem {

/// sum = x[0] + ... + x[n - 1]; 0 for n = 0.
struct Sum {
  using Launch = void (*)(const float* x, float* sum, std::size_t n, cudaStream_t stream);

  static const Problem& problem();

  static void call(Launch launch, const Operands& on, cudaStream_t stream) {
    launch(on.inputs[0], on.output, on.shape[0], stream);
  }
};

}  // namespace problem
