#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "problem/problem.h"

namespace problem {

/// C = A B, row-major: A is (m, k), B is (k, n), C is (m, n); k = 0 gives zeros.
struct Sgemm {
  using Launch = void (*)(const float* A, const float* B, float* C, int m, int n, int k,
                          cudaStream_t stream);

  static const Problem& problem();

  static void call(Launch launch, const Operands& on, cudaStream_t stream) {
    launch(on.inputs[0], on.inputs[1], on.output, static_cast<int>(on.shape[0]),
           static_cast<int>(on.shape[1]), static_cast<int>(on.shape[2]), stream);
  }
};

}  // namespace problem
