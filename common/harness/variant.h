#pragma once

#include <cuda_runtime.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "problem/problem.h"

namespace harness {

/// What a variant promises beyond a right result.
enum class Promise {
  none,
  same_bits,  ///< every run over the same inputs gives the same bits
};

/// One kernel of a step as its `main.cu` and `test.cu` list it: `{"add", add}`.
template <class Problem>
struct Variant {
  std::string_view name;
  typename Problem::Launch launch;
  Promise promise = Promise::none;
  int threads = 0;  ///< threads a block, for the report; 0: not told
};

/// A variant of any problem.
struct AnyVariant {
  std::string name;
  problem::Launch launch;
  Promise promise = Promise::none;
  int threads = 0;
};

template <class Problem>
std::vector<AnyVariant> erase_types(std::initializer_list<Variant<Problem>> variants) {
  std::vector<AnyVariant> erased;
  for (const Variant<Problem>& variant : variants) {
    const auto call = [launch = variant.launch](const problem::Operands& operands,
                                                cudaStream_t stream) {
      Problem::call(launch, operands, stream);
    };
    erased.push_back({std::string(variant.name), call, variant.promise, variant.threads});
  }
  return erased;
}

}  // namespace harness
