#include "judge/comparison.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace judge {
namespace {

constexpr std::uint32_t kPoisonWord = 0x01010101u * kPoison;

double number_of(Element type, std::uint32_t bits) {
  if (type == Element::f32) return std::bit_cast<float>(bits);
  if (type == Element::i32) return std::bit_cast<int>(bits);
  return bits;
}

// Only as a float is poison no right value: it is a NaN with bits of its own. As an integer it is
// -1 or 2^32 - 1, and any byte may be 255.
bool is_never_right(Element type, const Value& value) {
  return type == Element::f32 && value.bits == kPoisonWord;
}

bool is_right(const Expected& expected, const Value& got) {
  if (expected.bits) return got.bits == *expected.bits;
  if (std::isnan(got.number)) return expected.or_nan || std::isnan(expected.value);
  if (std::isnan(expected.value)) return false;
  // An infinity is right where fp32 has nothing but an infinity for the value.
  const auto rounded = static_cast<double>(static_cast<float>(expected.value));
  if (std::isinf(got.number) || std::isinf(rounded)) return got.number == rounded;
  return std::abs(got.number - expected.value) <= expected.bound ||
         (expected.bound == 0 && got.number == rounded);
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
  char text[48];
  std::snprintf(text, sizeof text, type == Element::f32 ? "%.9g" : "%.0f", number);
  return text;
}

std::string text_of(Element type, const Expected& expected) {
  if (expected.bits) return text_of(type, number_of(type, *expected.bits));
  char bound[48];
  std::snprintf(bound, sizeof bound, " +- %.2g", expected.bound);
  return text_of(type, expected.value) + (expected.bound > 0 ? bound : "");
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
        is_output && array.element != Element::u8 && value.bits == kPoisonWord;
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
