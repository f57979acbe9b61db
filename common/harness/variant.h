#pragma once

#include <cuda_runtime.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "problem/problem.h"

namespace harness {

/// A variant's promise beyond a right result.
enum class Promise {
  none,
  same_bits,  ///< every run over the same inputs gives the same bits
};

/// One kernel of a step: `{"add", add}`.
template <class Problem>
struct Variant {
  std::string_view name;
  typename Problem::Launch launch;
  Promise promise = Promise::none;
  int threads = 0;  ///< threads per block, for the report; 0: not told
  /// Elements of a block's tile, from which the sizes of the tests come: {n}, {cols}, {side}, {m,
  /// k} or {m, n, k}; zeros where it has fewer sides.
  std::array<int, 3> tile = {};
  std::string_view origin = {};  ///< the rung it grows from; empty where a new problem starts
  /// The launch with a workspace that is kept, which timings use; null where it takes none.
  typename Problem::Launch with_workspace = nullptr;
};

/// A step and its kernels, as rungs.h has them from the manifest.
template <class Problem>
struct Step {
  std::string_view name;
  std::vector<Variant<Problem>> variants;
};

/// A variant of any problem.
struct AnyVariant {
  std::string name;
  problem::Launch launch;
  problem::Launch timed = {};  ///< the same, or with a workspace that is kept
  Promise promise = Promise::none;
  int threads = 0;
  std::string origin = {};
};

template <class Problem>
std::vector<AnyVariant> erase_types(const std::vector<Variant<Problem>>& variants) {
  std::vector<AnyVariant> erased;
  for (const Variant<Problem>& variant : variants) {
    const auto call = [](typename Problem::Launch launch) {
      return [launch](const problem::Operands& operands, cudaStream_t stream) {
        Problem::call(launch, operands, stream);
      };
    };
    const auto timed = variant.with_workspace != nullptr ? variant.with_workspace : variant.launch;
    erased.push_back({std::string(variant.name), call(variant.launch), call(timed), variant.promise,
                      variant.threads, std::string(variant.origin)});
  }
  return erased;
}

}  // namespace harness
