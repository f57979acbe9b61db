// Floating point of 16 bits, compared with its definition: the number of the format that is nearest
// to the exact result, found among all of them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace {

constexpr unsigned kAll = 65536;
// A type with 113 bits of precision, as `long double` has on AArch64.
#if defined(__SIZEOF_FLOAT128__)
__extension__ using Wide = __float128;
#else
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits == 113);
#endif

unsigned short bits(__half a) { return __half_as_ushort(a); }
unsigned short bits(__nv_bfloat16 a) { return __bfloat16_as_ushort(a); }
template <class T>
T of_bits(unsigned i) {
  if constexpr (std::is_same_v<T, __half>)
    return __ushort_as_half(static_cast<unsigned short>(i));
  else
    return __ushort_as_bfloat16(static_cast<unsigned short>(i));
}
template <class T>
constexpr unsigned kInfinity = std::is_same_v<T, __half> ? 0x7c00 : 0x7f80;

// The value of the bits, by the definition of the formats.
template <class T>
double meaning(unsigned i) {
  constexpr int kDigits = std::is_same_v<T, __half> ? 10 : 7;
  constexpr int kBias = std::is_same_v<T, __half> ? 15 : 127;
  const double sign = (i & 0x8000) != 0 ? -1 : 1;
  const unsigned magnitude = i & 0x7fff;
  if (magnitude > kInfinity<T>) return NAN;
  if (magnitude == kInfinity<T>) return sign * INFINITY;
  const int field = static_cast<int>(magnitude >> kDigits);
  const int digits = static_cast<int>(magnitude) & ((1 << kDigits) - 1);
  const int significand = field != 0 ? digits + (1 << kDigits) : digits;
  return sign * std::ldexp(significand, std::max(field, 1) - kBias - kDigits);
}

enum class To { nearest, zero, up, down };

// The bits of the number that `value`, with a `tail` too small for it, is rounded to.
template <class T>
unsigned expected(Wide value, To to = To::nearest, Wide tail = 0) {
  if (value != value) return 0x7fff;
  const bool negative = value < 0 || (value == 0 && std::signbit(static_cast<double>(value)));
  const unsigned sign = negative ? 0x8000 : 0;
  const Wide magnitude = negative ? -value : value;
  if (negative) tail = -tail;
  if (magnitude > 1e300) return sign | kInfinity<T>;
  unsigned below = 0;  // the largest that is not above
  for (unsigned step = 0x4000; step != 0; step /= 2)
    if (below + step < kInfinity<T> && meaning<T>(below + step) <= magnitude) below += step;
  const Wide rest = magnitude - meaning<T>(below);
  if (rest == 0 && tail < 0) --below;
  if (rest == 0 && tail == 0) return sign | below;
  // Beyond the largest, the next would follow at the same distance.
  const Wide gap = below + 1 < kInfinity<T> ? meaning<T>(below + 1) - Wide(meaning<T>(below))
                                            : meaning<T>(below) - Wide(meaning<T>(below - 1));
  bool away = to == (negative ? To::down : To::up);
  if (to == To::nearest) {
    const Wide from = magnitude - meaning<T>(below);
    const Wide half = gap / 2;
    away = from > half || (from == half && (tail > 0 || (tail == 0 && (below & 1) != 0)));
  }
  return sign | (below + away);
}

template <class T>
T any(std::mt19937& random) {
  return of_bits<T>(random() & 0xffff);
}

// Checks without doctest's cost for each.
#define ALWAYS(condition) \
  if (!(condition)) {     \
    CHECK(condition);     \
    break;                \
  }

template <class T, class F, class Exact>
void check_all(const char* name, F function, Exact exact) {
  CAPTURE(name);
  for (unsigned i = 0; i < kAll; ++i) {
    CAPTURE(i);
    const Wide value = exact(static_cast<long double>(meaning<T>(i)));
    ALWAYS(bits(function(of_bits<T>(i))) == expected<T>(value));
  }
}

template <class T>
void check_from_float(float x) {
  if constexpr (std::is_same_v<T, __half>) {
    CHECK(bits(__float2half(x)) == expected<T>(x));
    CHECK(bits(__float2half_rz(x)) == expected<T>(x, To::zero));
    CHECK(bits(__float2half_ru(x)) == expected<T>(x, To::up));
    CHECK(bits(__float2half_rd(x)) == expected<T>(x, To::down));
  } else {
    CHECK(bits(__float2bfloat16(x)) == expected<T>(x));
    CHECK(bits(__float2bfloat16_rz(x)) == expected<T>(x, To::zero));
    CHECK(bits(__float2bfloat16_ru(x)) == expected<T>(x, To::up));
    CHECK(bits(__float2bfloat16_rd(x)) == expected<T>(x, To::down));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("every pattern of bits means what the format says", T, __half, __nv_bfloat16) {
  for (unsigned i = 0; i < kAll; ++i) {
    CAPTURE(i);
    const double value = meaning<T>(i);
    const float got = of_bits<T>(i);
    ALWAYS(std::isnan(value) ? std::isnan(got) : static_cast<double>(got) == value);
    ALWAYS((std::isnan(value) || std::signbit(got) == ((i & 0x8000) != 0)));
    ALWAYS(bits(T(got)) == (std::isnan(value) ? 0x7fffu : i));
  }
}

TEST_CASE("conversions of NaN keep as much of it as those of a device") {
  const auto float_bits = [](float a) { return std::bit_cast<std::uint32_t>(a); };
  CHECK(float_bits(__half2float(__ushort_as_half(0xfc01))) == 0x7fffffff);
  CHECK(float_bits(__bfloat162float(__ushort_as_bfloat16(0xffc1))) == 0xffc10000);
  const float nan = std::bit_cast<float>(0xffe00000);
  CHECK(bits(__float2half(nan)) == 0x7fff);
  CHECK(bits(__float2bfloat16(nan)) == 0x7fff);
  // Sign and leading digits of a double, and the bit that makes it quiet.
  const double wide = std::bit_cast<double>(0xfff2340000000000);
  CHECK(bits(__double2half(wide)) == 0xfe8d);
  CHECK(bits(__double2bfloat16(wide)) == 0xffd1);
  CHECK(bits(__double2half(std::bit_cast<double>(0x7ff8000000000000))) == 0x7e00);
}

TEST_CASE_TEMPLATE("functions of one argument are right for all", T, __half, __nv_bfloat16) {
  using L = long double;
  check_all<T>(
      "hsqrt", [](T a) { return hsqrt(a); }, [](L a) { return std::sqrt(a); });
  check_all<T>(
      "hrsqrt", [](T a) { return hrsqrt(a); }, [](L a) { return 1 / std::sqrt(a); });
  check_all<T>(
      "hrcp", [](T a) { return hrcp(a); }, [](L a) { return 1 / a; });
  check_all<T>(
      "hexp", [](T a) { return hexp(a); }, [](L a) { return std::exp(a); });
  check_all<T>(
      "hexp2", [](T a) { return hexp2(a); }, [](L a) { return std::exp2(a); });
  check_all<T>(
      "hexp10", [](T a) { return hexp10(a); }, [](L a) { return exp10l(a); });
  check_all<T>(
      "hlog", [](T a) { return hlog(a); }, [](L a) { return std::log(a); });
  check_all<T>(
      "hlog2", [](T a) { return hlog2(a); }, [](L a) { return std::log2(a); });
  check_all<T>(
      "hlog10", [](T a) { return hlog10(a); }, [](L a) { return std::log10(a); });
  check_all<T>(
      "hsin", [](T a) { return hsin(a); }, [](L a) { return std::sin(a); });
  check_all<T>(
      "hcos", [](T a) { return hcos(a); }, [](L a) { return std::cos(a); });
  check_all<T>(
      "htanh", [](T a) { return htanh(a); }, [](L a) { return std::tanh(a); });
  check_all<T>(
      "hceil", [](T a) { return hceil(a); }, [](L a) { return std::ceil(a); });
  check_all<T>(
      "hfloor", [](T a) { return hfloor(a); }, [](L a) { return std::floor(a); });
  check_all<T>(
      "htrunc", [](T a) { return htrunc(a); }, [](L a) { return std::trunc(a); });
  check_all<T>(
      "hrint", [](T a) { return hrint(a); }, [](L a) { return std::rint(a); });
  check_all<T>(
      "__hneg", [](T a) { return __hneg(a); }, [](L a) { return -a; });
  check_all<T>(
      "__habs", [](T a) { return __habs(a); }, [](L a) { return std::fabs(a); });
}

TEST_CASE_TEMPLATE("arithmetic is correctly rounded", T, __half, __nv_bfloat16) {
  std::mt19937 random(1);
  for (int round = 0; round < 1000000; ++round) {
    const T a = any<T>(random);
    const T b = any<T>(random);
    const T c = any<T>(random);
    const Wide x = static_cast<float>(a);
    const Wide y = static_cast<float>(b);
    const Wide z = static_cast<float>(c);
    CAPTURE(bits(a));
    CAPTURE(bits(b));
    CAPTURE(bits(c));
    // The sum of numbers as far apart as bfloat16 has them is not exact in any format.
    const auto tail = [](Wide p, Wide q, Wide sum) {
      const Wide part = sum - p;
      const Wide error = (p - (sum - part)) + (q - part);
      return error == error ? error : 0;
    };
    ALWAYS(bits(a + b) == expected<T>(x + y, To::nearest, tail(x, y, x + y)));
    ALWAYS(bits(a - b) == expected<T>(x - y, To::nearest, tail(x, -y, x - y)));
    ALWAYS(bits(a * b) == expected<T>(x * y));
    ALWAYS(bits(a / b) == expected<T>(x / y));
    ALWAYS(bits(__hfma(a, b, c)) == expected<T>(x * y + z, To::nearest, tail(x * y, z, x * y + z)));
  }
}

TEST_CASE("a fused product is rounded once") {
  // 1 + 2^-10 squared is 1 + 2^-9 + 2^-20; less 2^-24 or plus it, that stays beside the middle.
  const __half a = __ushort_as_half(0x3c01);
  CHECK(bits(__hfma(a, __float2half(0x1p-11f), __ushort_as_half(0x3c00))) == 0x3c01);
  CHECK(bits(__hfma(__ushort_as_half(0x7bff), __ushort_as_half(0x7bff), __half(1))) == 0x7c00);
  // A product in the middle of two numbers, and what is far too small for a double to keep beside
  // it.
  const __nv_bfloat16 b = __ushort_as_bfloat16(0x3f88);  // squared: 1 + 2^-3 + 2^-8
  CHECK(bits(__hfma(b, b, __nv_bfloat16(0.0f))) == 0x3f90);
  CHECK(bits(__hfma(b, b, __nv_bfloat16(0x1p-100f))) == 0x3f91);
  CHECK(bits(__hfma(b, b, __nv_bfloat16(-0x1p-100f))) == 0x3f90);
}

TEST_CASE_TEMPLATE("floats are rounded as the names say", T, __half, __nv_bfloat16) {
  std::mt19937 random(2);
  for (int round = 0; round < 100000; ++round) {
    float x = __uint_as_float(static_cast<unsigned>(random()));
    if (round % 2 == 0) x = static_cast<float>(meaning<T>(random() & 0xffff));
    if (round % 4 == 0)  // in the middle of two, or just beside
      x += static_cast<float>(round % 3 - 1) * __uint_as_float(__float_as_uint(x) & 0x7f800000) *
           (std::is_same_v<T, __half> ? 0x1p-11f : 0x1p-8f);
    CAPTURE(x);
    check_from_float<T>(x);
  }
  for (const float x :
       {0.0f, -0.0f, INFINITY, -INFINITY, 65504.0f, 65519.99f, 65520.0f, 65536.0f, -65520.0f,
        3.4e38f, -3.4e38f, 1e-45f, -1e-45f, 0x1p-25f, 0x1.8p-25f, 0x1p-134f})
    check_from_float<T>(x);
  CHECK(bits(T(NAN)) == 0x7fff);
}

TEST_CASE("doubles and integers are rounded once") {
  // As floats, these would be the middle of two halves, or of two bfloat16.
  CHECK(bits(__double2half(1 + 0x1p-11 + 0x1p-40)) == 0x3c01);
  CHECK(bits(__double2bfloat16(1 + 0x1p-8 + 0x1p-40)) == 0x3f81);
  CHECK(bits(__ll2bfloat16_rn((1ll << 62) + (1ll << 54) + 1)) == 0x5e81);
  CHECK(bits(__ll2bfloat16_rn((1ll << 62) + (1ll << 54))) == 0x5e80);
  CHECK(bits(__ull2bfloat16_ru((1ull << 63) + 1)) == 0x5f01);
  CHECK(bits(__ll2bfloat16_rz(-(1ll << 62) - 1)) == 0xde80);
  CHECK(bits(__int2half_rn(2049)) == bits(__half(2048)));
  CHECK(bits(__int2half_ru(2049)) == bits(__half(2050)));
  CHECK(bits(__int2half_rz(100000)) == 0x7bff);
  CHECK(bits(__int2half_rn(-100000)) == 0xfc00);
  CHECK(bits(__ushort2half_rd(65535)) == 0x7bff);
  CHECK(__half2int_rn(__half(2.5f)) == 2);
  CHECK(__half2int_ru(__half(2.5f)) == 3);
  CHECK(__half2int_rd(__half(-2.5f)) == -3);
  CHECK(__half2uint_rz(__half(-1)) == 0);
  CHECK(__half2short_rz(__half(40000)) == 32767);
  CHECK(__half2char_rz(__half(-200)) == -128);
  CHECK(__half2int_rz(CUDART_NAN_FP16) == 0);
  CHECK(__half2ll_rz(CUDART_NAN_FP16) == std::numeric_limits<long long>::min());
  CHECK(__bfloat162ull_rz(CUDART_INF_BF16) == ~0ull);
  CHECK(static_cast<int>(__half(-7.75f)) == -7);
}
