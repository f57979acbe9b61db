#pragma once

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cucpu/trace.h>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "problem/data.h"

// For what a chapter says of its kernels, as tests: counts what they do. On the CPU backend, in
// programs that are built to be traced.
namespace harness {

using cucpu::trace::AccessCount;
using cucpu::trace::Counters;
using cucpu::trace::LaunchCounters;

/// The counts of the launches of one call: their sum, and each of them in order.
struct Count : Counters {
  std::vector<LaunchCounters> launches;
  std::vector<float> output;  ///< of a variant

  /// The call's only launch.
  const LaunchCounters& launch() const;

  /// The counts of those lines of source in `launches` that contain `text`. Each launch has its ten
  /// costliest lines; fails the test if none of them contains it.
  Counters at(std::string_view text) const;
};

/// Counts the launches of `call`.
Count count(const std::function<void()>& call);

/// Counts those of a variant over random inputs, each array moved by `offsets` elements. Fails the
/// test if the result is wrong: what a wrong kernel does proves nothing.
Count count_variant(const problem::Problem& problem, const problem::Launch& launch,
                    const problem::Shape& shape, const problem::Offsets& offsets);

template <class Problem>
Count count(typename Problem::Launch launch, const problem::Shape& shape,
            const problem::Offsets& offsets = {}) {
  const auto call = [launch](const problem::Operands& operands, cudaStream_t stream) {
    Problem::call(launch, operands, stream);
  };
  return count_variant(Problem::problem(), call, shape, offsets);
}

}  // namespace harness
