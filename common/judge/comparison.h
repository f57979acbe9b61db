#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/exercise.h"

namespace judge {

/// An element as a number and as bits.
struct Value {
  double number = 0;
  std::uint32_t bits = 0;
};
Value element(Element type, std::span<const unsigned char> bytes, std::size_t i);

std::string text_of(Element type, double number);
std::string text_of(Element type, const Expected& expected);

/// The difference between an output and the right one.
struct Mismatch {
  std::size_t index = 0;  ///< the first wrong element
  Expected expected;
  Value got;
  bool unwritten = false;
  std::size_t wrong = 0;      ///< elements
  std::size_t untouched = 0;  ///< of those: they are what they were before
  std::size_t last = 0;       ///< the last wrong element
};

/// Compares elements [first, first + the elements in `got`) of the output of `exercise`.
/// `before` are their bytes before solve; empty: poison.
std::optional<Mismatch> compare(const Exercise& exercise, const Answer& answer, std::size_t first,
                                std::span<const unsigned char> got,
                                std::span<const unsigned char> before = {});

}  // namespace judge
