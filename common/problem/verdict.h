#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "problem/problem.h"

namespace problem {

/// How an output compares with the reference.
struct Verdict {
  std::size_t elements = 0;     ///< elements compared
  std::size_t wrong = 0;        ///< elements beyond their bound
  std::size_t first_wrong = 0;  ///< the first of them, where there is one
  float first_got = 0;
  double first_expected = 0;
  double first_bound = 0;

  /// Error and bound of the element whose error is the largest part of its bound.
  double max_error = 0;
  double error_bound = 0;

  bool pass() const { return wrong == 0; }

  /// Adds the verdict on later elements of the same output.
  void merge(const Verdict& later);

  /// "element 3 is 0.25, expected 0.5 +- 1e-07; 2 of 10 elements are wrong"; empty if all pass.
  std::string describe() const;
};

/// How far `got`, an fp32 value, is from `expected`; infinite for whatever no bound may let
/// through: a NaN where `expected` is none, a number where it is one, and an infinity where
/// rounding `expected` to fp32 does not give the same one.
double error_of(double got, double expected);

/// Compares `got`, which is output elements [first, first + got.size()), with the reference.
///
/// An element is right if it is within `bound` of `expected`; with `exact`, if it has the very bits
/// of `expected` rounded to fp32. The NaN that outputs are filled with before a launch is never
/// right.
Verdict compare(std::size_t first, std::span<const float> got, std::span<const double> expected,
                std::span<const double> bound, bool exact);

}  // namespace problem
