#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "problem/problem.h"

namespace problem {

/// out[c][r] = in[r][c]; in is row-major rows x cols, out is row-major cols x rows.
struct Transpose {
  using Launch = void (*)(const float* in, float* out, std::size_t rows, std::size_t cols,
                          cudaStream_t stream);

  static const Problem& problem();

  static void call(Launch launch, const Operands& on, cudaStream_t stream) {
    launch(on.inputs[0], on.output, on.shape[0], on.shape[1], stream);
  }
};

}  // namespace problem
