#include "judge/comparison.h"

#include <fmt/core.h>
#include <bit>
#include <cmath>
#include <cstring>

#include "device/guards.h"
#include "problem/verdict.h"

namespace judge {
namespace {

double number_of(Element type, std::uint32_t bits) {
  if (type == Element::f32) return std::bit_cast<float>(bits);
  if (type == Element::i32) return std::bit_cast<int>(bits);
  return bits;
}

// Only as a float is poison no right value: it is a NaN with bits of its own. As an integer it is
// -1 or 2^32 - 1, and any byte may be 255.
bool is_never_right(Element type, const Value& value) {
  return type == Element::f32 && value.bits == device::kPoisonWord;
}

bool is_right(const Expected& expected, const Value& got) {
  if (expected.bits) return got.bits == *expected.bits;
  if (expected.or_nan && std::isnan(got.number)) return true;
  // The bound of a NaN or an infinity may be a NaN, and says nothing.
  const double error = problem::error_of(got.number, expected.value);
  if (error == 0 || error <= expected.bound) return true;
  return expected.bound == 0 &&
         got.number == static_cast<double>(static_cast<float>(expected.value));
}

}  // namespace

Value element(Element type, std::span<const unsigned char> bytes, std::size_t i) {
  Value value;
  std::memcpy(&value.bits, bytes.data() + i * bytes_of(type), bytes_of(type));
  value.number = number_of(type, value.bits);
  return value;
}

std::string text_of(Element type, double number) {
  if (std::isnan(number)) return "NaN";
  return type == Element::f32 ? fmt::format("{:.9g}", number) : fmt::format("{:.0f}", number);
}

std::string text_of(Element type, const Expected& expected) {
  if (expected.bits) return text_of(type, number_of(type, *expected.bits));
  const std::string value = text_of(type, expected.value);
  return expected.bound > 0 ? fmt::format("{} +- {:.2g}", value, expected.bound) : value;
}

std::optional<Mismatch> compare(const Exercise& exercise, const Answer& answer, std::size_t first,
                                std::span<const unsigned char> got,
                                std::span<const unsigned char> before) {
  const Array& array = exercise.arrays[exercise.output()];
  std::optional<Mismatch> mismatch;
  for (std::size_t i = 0; i < got.size() / bytes_of(array.element); ++i) {
    const Value value = element(array.element, got, i);
    const Expected expected = answer(first + i);
    const bool is_output = array.role == Role::output;
    if (!(is_output && is_never_right(array.element, value)) && is_right(expected, value)) continue;
    const bool unwritten =
        is_output && array.element != Element::u8 && value.bits == device::kPoisonWord;
    if (!mismatch)
      mismatch = {.index = first + i, .expected = expected, .got = value, .unwritten = unwritten};
    ++mismatch->wrong;
    const bool is_as_before =
        !before.empty() && element(array.element, before, i).bits == value.bits;
    mismatch->untouched += unwritten || is_as_before;
    mismatch->last = first + i;
  }
  return mismatch;
}

}  // namespace judge
