// The formats of floating point of 16 bits: their values are floats, and what is computed in double
// precision is rounded to them once.
#pragma once

#include <bit>
#include <cstdint>

namespace cucpu {

enum class Rounding { nearest, zero, up, down };

// IEEE's binary16: 5 bits of exponent, 10 of significand.
struct Half {
  static constexpr int kSignificandBits = 10;
  static constexpr int kBias = 15;
  static constexpr std::uint16_t kInfinity = 0x7c00;
};
// The upper half of a float: 8 bits of exponent, 7 of significand.
struct BFloat16 {
  static constexpr int kSignificandBits = 7;
  static constexpr int kBias = 127;
  static constexpr std::uint16_t kInfinity = 0x7f80;
};
// The only NaN that an operation on a device results in, in either format; conversions from double
// alone keep a NaN's sign and leading digits.
constexpr std::uint16_t kSmallNaN = 0x7fff;
constexpr std::uint16_t kSmallSign = 0x8000;
// The NaN that a device makes of one of binary16, and no other bits.
constexpr std::uint32_t kFloatNaN = 0x7fffffff;

template <class Format>
constexpr float decoded(std::uint16_t bits) {
  if constexpr (Format::kSignificandBits == 7) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
  } else {
    const std::uint32_t sign = std::uint32_t(bits & kSmallSign) << 16;
    const std::uint32_t rest = std::uint32_t(bits & ~kSmallSign) << 13;
    if ((bits & Format::kInfinity) == Format::kInfinity)
      return std::bit_cast<float>(rest == 0x7c00u << 13 ? sign | 0x7f800000 : kFloatNaN);
    // Moves the exponent, of subnormal numbers as well.
    const float magnitude = std::bit_cast<float>(rest) * 0x1p112f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
}

// Whether a magnitude is rounded away from zero that lies `rest` beyond `kept`, in units of which
// `half` is the middle between two neighbors.
constexpr bool rounds_away(Rounding rounding, bool negative, std::uint64_t kept, std::uint64_t rest,
                           std::uint64_t half) {
  switch (rounding) {
    case Rounding::nearest:
      return rest > half || (rest == half && (kept & 1) != 0);
    case Rounding::up:
      return rest != 0 && !negative;
    case Rounding::down:
      return rest != 0 && negative;
    case Rounding::zero:
      break;
  }
  return false;
}

template <class Format>
constexpr std::uint16_t encoded(double value, Rounding rounding = Rounding::nearest) {
  constexpr int kBits = 52;  // of a double's significand
  constexpr std::uint64_t kOne = std::uint64_t{1} << kBits;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63 != 0;
  const std::uint16_t sign = negative ? kSmallSign : 0;
  const int field = static_cast<int>(bits >> kBits & 0x7ff);
  if (value != value) return kSmallNaN;
  if (field == 0x7ff) return sign | Format::kInfinity;
  const std::uint64_t significand = (bits & (kOne - 1)) | (field != 0 ? kOne : 0);
  const int exponent = (field != 0 ? field : 1) - 1023 + Format::kBias;  // biased as the result's
  const int below = exponent < 1 ? 1 - exponent : 0;                     // of subnormal results
  const int dropped = kBits - Format::kSignificandBits + below;
  const int shift = dropped < 63 ? dropped : 63;
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const bool away = rounds_away(rounding, negative, kept, rest, half);
  // A carry out of the significand goes where it belongs: into the exponent.
  const std::uint64_t magnitude =
      (std::uint64_t(below == 0 ? exponent - 1 : 0) << Format::kSignificandBits) + kept + away;
  if (magnitude < Format::kInfinity) return static_cast<std::uint16_t>(sign | magnitude);
  const bool to_infinity =
      rounding == Rounding::nearest || rounding == (negative ? Rounding::down : Rounding::up);
  return static_cast<std::uint16_t>(sign | (Format::kInfinity - (to_infinity ? 0 : 1)));
}

// The result of a conversion from double.
template <class Format>
constexpr std::uint16_t converted(double value) {
  if (value == value) return encoded<Format>(value);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value) | std::uint64_t{1} << 51;  // quiet
  const std::uint16_t sign = bits >> 63 != 0 ? kSmallSign : 0;
  const std::uint64_t digits =
      bits >> (52 - Format::kSignificandBits) & ((1u << Format::kSignificandBits) - 1);
  return static_cast<std::uint16_t>(sign | Format::kInfinity | digits);
}

// a + b, rounded to odd: an inexact sum ends in a one bit, so a second rounding never takes it for
// the middle between two numbers.
constexpr double odd_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  const bool is_exact = !(error < 0 || error > 0);  // also where the sum is not finite
  if (is_exact || (bits & 1) != 0) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// The product of two numbers of 16 bits is exact in double precision.
constexpr double odd_fma(float a, float b, float c) {
  return odd_sum(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c));
}

// An integer that is not exact in double precision is rounded to odd.
template <class Integer>
constexpr double odd_double(Integer value) {
  if constexpr (sizeof(Integer) < 8) {
    return static_cast<double>(value);
  } else {
    constexpr int kSpare = 11;
    constexpr Integer kMask = (Integer{1} << kSpare) - 1;
    const Integer upper = value >> kSpare;  // at most 53 bits, exact together with `lower`
    const double lower = static_cast<double>(value & kMask);
    return odd_sum(static_cast<double>(upper) * static_cast<double>(kMask + 1), lower);
  }
}

}  // namespace cucpu
