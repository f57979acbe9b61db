#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "problem/problem.h"

namespace problem {

/// c[i] = a[i] + b[i] for n elements.
struct Add {
  using Launch = void (*)(const float* a, const float* b, float* c, std::size_t n,
                          cudaStream_t stream);

  static const Problem& problem();

  static void call(Launch launch, const Operands& on, cudaStream_t stream) {
    launch(on.inputs[0], on.inputs[1], on.output, on.shape[0], stream);
  }
};

}  // namespace problem
