#include "problem/verdict.h"

#include <fmt/core.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "device/guards.h"

namespace problem {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_poison(float value) { return std::bit_cast<std::uint32_t>(value) == device::kPoisonWord; }

// The error of one element of an output, which may be poison, or have to be exact.
double output_error(float got, double expected, bool exact) {
  if (is_poison(got)) return kInfinity;
  const double error = error_of(got, expected);
  if (!exact || !std::isfinite(got)) return error;
  const auto rounded = static_cast<float>(expected);
  const bool same = std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(rounded);
  // A zero of the wrong sign differs in bits, though not in value.
  return same ? 0 : std::max(error, std::numeric_limits<double>::min());
}

// error / bound without dividing by zero: whether a is a larger part of its bound than b.
bool is_worse(double error_a, double bound_a, double error_b, double bound_b) {
  if (std::isinf(error_a) || std::isinf(error_b)) return error_a > error_b;
  const double a = error_a * bound_b, b = error_b * bound_a;
  if (a != b) return a > b;
  return error_a != error_b ? error_a > error_b : bound_a > bound_b;
}

std::string text_of(float value) {
  if (is_poison(value)) return "NaN (not written?)";
  if (std::isnan(value)) return "NaN";
  return fmt::format("{:.9g}", value);
}

}  // namespace

double error_of(double got, double expected) {
  if (std::isnan(expected)) return std::isnan(got) ? 0 : kInfinity;
  if (std::isnan(got)) return kInfinity;
  const auto rounded = static_cast<double>(static_cast<float>(expected));
  if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : kInfinity;
  return std::abs(got - expected);
}

Verdict compare(std::size_t first, std::span<const float> got, std::span<const double> expected,
                std::span<const double> bound, bool exact) {
  Verdict verdict;
  verdict.elements = got.size();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = output_error(got[i], expected[i], exact);
    const double allowed = exact ? 0 : bound[i];
    if (i == 0 || is_worse(error, allowed, verdict.max_error, verdict.error_bound)) {
      verdict.max_error = error;
      verdict.error_bound = allowed;
    }
    if (error <= allowed) continue;
    if (verdict.wrong == 0) {
      verdict.first_wrong = first + i;
      verdict.first_got = got[i];
      verdict.first_expected = expected[i];
      verdict.first_bound = allowed;
    }
    ++verdict.wrong;
  }
  return verdict;
}

void Verdict::merge(const Verdict& later) {
  if (later.elements == 0) return;
  if (elements == 0 || is_worse(later.max_error, later.error_bound, max_error, error_bound)) {
    max_error = later.max_error;
    error_bound = later.error_bound;
  }
  if (wrong == 0) {
    first_wrong = later.first_wrong;
    first_got = later.first_got;
    first_expected = later.first_expected;
    first_bound = later.first_bound;
  }
  elements += later.elements;
  wrong += later.wrong;
}

std::string Verdict::describe() const {
  if (pass()) return {};
  const std::string expected = std::isnan(first_expected)
                                   ? "NaN"
                                   : fmt::format("{:.9g} +- {:.2g}", first_expected, first_bound);
  return fmt::format("element {} is {}, expected {}; {} of {} wrong", first_wrong,
                     text_of(first_got), expected, wrong, elements);
}

}  // namespace problem
