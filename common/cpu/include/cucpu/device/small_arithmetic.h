// Arithmetic with floating point of 16 bits, alone and in pairs: the types behind half and half2,
// bfloat16 and bfloat162.
//
// All results are correctly rounded: sums, products, quotients, square roots, fused products and
// conversions by construction, the other functions (hsin, hexp, ...) because they are computed in
// double precision and rounded once. An H200 gives the same bits, except for htanh_approx and
// h2tanh_approx, which it approximates.
//
// Functions are friends, found by their arguments, so that floats and integers convert.
#pragma once

#include <math.h>

#include <type_traits>

#include "cucpu/device/atomics.h"
#include "cucpu/device/conversions.h"
#include "cucpu/device/small_float.h"
#include "cucpu/device/warp.h"
#include "cucpu/plain_types.h"
#include "vector_types.h"

namespace cucpu {

template <class Format>
struct SmallRaw {
  unsigned short x;
};
template <class Format>
struct alignas(4) SmallPairRaw {
  unsigned short x, y;
};

template <class Format>
class SmallFloat {
  using S = SmallFloat;

 public:
  SmallFloat() = default;
#ifdef CUCPU_TRACED
  // One access, as on the device, which the compiler would not report of a class.
  constexpr SmallFloat(const S& other) { *this = other; }
  constexpr S& operator=(const S& other) {
    if (std::is_constant_evaluated())
      bits_ = other.bits_;
    else
      copy_whole<sizeof(S)>(this, &other);
    return *this;
  }
#endif
  constexpr SmallFloat(SmallRaw<Format> raw) : bits_(raw.x) {}
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr SmallFloat(T value) : bits_(of_number(value)) {}
  template <class Other>
  requires(!std::is_same_v<Other, Format>) constexpr explicit SmallFloat(SmallFloat<Other> other)
      : SmallFloat(static_cast<float>(other)) {}
  static constexpr S rounded(double value, Rounding rounding = Rounding::nearest) {
    return of_bits(encoded<Format>(value, rounding));
  }
  static constexpr S of_bits(unsigned bits) {
    return SmallRaw<Format>{static_cast<unsigned short>(bits)};
  }

  constexpr unsigned short bits() const { return bits_; }
  constexpr operator SmallRaw<Format>() const { return {bits_}; }
  constexpr operator float() const { return decoded<Format>(bits_); }
  // Towards zero, as far as the type goes.
  template <class T>
  requires std::is_integral_v<T>
  constexpr operator T() const {
    if constexpr (std::is_same_v<T, bool>)
      return (bits_ & ~kSmallSign) != 0;
    else
      return saturated<T>(__builtin_truncf(*this));
  }

  S& operator+=(S b) { return *this = *this + b; }
  S& operator-=(S b) { return *this = *this - b; }
  S& operator*=(S b) { return *this = *this * b; }
  S& operator/=(S b) { return *this = *this / b; }
  S& operator++() { return *this += S(1); }
  S& operator--() { return *this -= S(1); }
  S operator++(int) {
    const S before = *this;
    ++*this;
    return before;
  }
  S operator--(int) {
    const S before = *this;
    --*this;
    return before;
  }

  friend S operator+(S a, S b) { return rounded(a.wide() + b.wide()); }
  friend S operator-(S a, S b) { return rounded(a.wide() - b.wide()); }
  friend S operator*(S a, S b) { return rounded(a.wide() * b.wide()); }
  friend S operator/(S a, S b) { return rounded(a.wide() / b.wide()); }
  friend S operator+(S a) { return a; }
  friend S operator-(S a) {
    return a.is_nan() ? of_bits(kSmallNaN) : of_bits(a.bits_ ^ kSmallSign);
  }
  friend bool operator==(S a, S b) { return a.wide() == b.wide(); }
  friend bool operator!=(S a, S b) { return a.wide() != b.wide(); }
  friend bool operator<(S a, S b) { return a.wide() < b.wide(); }
  friend bool operator<=(S a, S b) { return a.wide() <= b.wide(); }
  friend bool operator>(S a, S b) { return a.wide() > b.wide(); }
  friend bool operator>=(S a, S b) { return a.wide() >= b.wide(); }

  friend S __hadd(S a, S b) { return a + b; }
  friend S __hsub(S a, S b) { return a - b; }
  friend S __hmul(S a, S b) { return a * b; }
  friend S __hdiv(S a, S b) { return a / b; }
  friend S __hadd_rn(S a, S b) { return a + b; }
  friend S __hsub_rn(S a, S b) { return a - b; }
  friend S __hmul_rn(S a, S b) { return a * b; }
  friend S __hfma(S a, S b, S c) { return rounded(odd_fma(a, b, c)); }
  friend S __hneg(S a) { return -a; }
  friend S __habs(S a) { return a.is_nan() ? of_bits(kSmallNaN) : of_bits(a.bits_ & ~kSmallSign); }
  // To 0 ... 1, where NaN becomes 0.
  friend S __hadd_sat(S a, S b) { return saturated_unit(a + b); }
  friend S __hsub_sat(S a, S b) { return saturated_unit(a - b); }
  friend S __hmul_sat(S a, S b) { return saturated_unit(a * b); }
  friend S __hfma_sat(S a, S b, S c) { return saturated_unit(__hfma(a, b, c)); }
  // Negative results become 0, NaN stays.
  friend S __hfma_relu(S a, S b, S c) { return __hmax_nan(__hfma(a, b, c), S(0)); }

  // Comparisons with NaN are false, except those whose names end in u: these are true.
  friend bool __heq(S a, S b) { return a == b; }
  friend bool __hne(S a, S b) { return a < b || a > b; }
  friend bool __hlt(S a, S b) { return a < b; }
  friend bool __hle(S a, S b) { return a <= b; }
  friend bool __hgt(S a, S b) { return a > b; }
  friend bool __hge(S a, S b) { return a >= b; }
  friend bool __hequ(S a, S b) { return !__hne(a, b); }
  friend bool __hneu(S a, S b) { return a != b; }
  friend bool __hltu(S a, S b) { return !(a >= b); }
  friend bool __hleu(S a, S b) { return !(a > b); }
  friend bool __hgtu(S a, S b) { return !(a <= b); }
  friend bool __hgeu(S a, S b) { return !(a < b); }
  friend bool __hisnan(S a) { return a.is_nan(); }
  friend int __hisinf(S a) {
    if ((a.bits_ & ~kSmallSign) != Format::kInfinity) return 0;
    return a.bits_ == Format::kInfinity ? 1 : -1;
  }

  // -0 is less than +0. One NaN gives the other argument, or, by _nan, NaN.
  friend S __hmin(S a, S b) { return a.is_nan() ? b.quiet() : b.is_nan() || before(a, b) ? a : b; }
  friend S __hmax(S a, S b) { return a.is_nan() ? b.quiet() : b.is_nan() || before(b, a) ? a : b; }
  friend S __hmin_nan(S a, S b) {
    return a.is_nan() || b.is_nan() ? of_bits(kSmallNaN) : __hmin(a, b);
  }
  friend S __hmax_nan(S a, S b) {
    return a.is_nan() || b.is_nan() ? of_bits(kSmallNaN) : __hmax(a, b);
  }

  friend S hsqrt(S a) { return rounded(sqrt(a.wide())); }
  friend S hrsqrt(S a) { return rounded(1 / sqrt(a.wide())); }
  friend S hrcp(S a) { return rounded(1 / a.wide()); }
  friend S hexp(S a) { return rounded(exp(a.wide())); }
  friend S hexp2(S a) { return rounded(exp2(a.wide())); }
  friend S hexp10(S a) { return rounded(exp10(a.wide())); }
  friend S hlog(S a) { return rounded(log(a.wide())); }
  friend S hlog2(S a) { return rounded(log2(a.wide())); }
  friend S hlog10(S a) { return rounded(log10(a.wide())); }
  friend S hsin(S a) { return rounded(sin(a.wide())); }
  friend S hcos(S a) { return rounded(cos(a.wide())); }
  friend S htanh(S a) { return rounded(tanh(a.wide())); }
  friend S htanh_approx(S a) { return htanh(a); }
  friend S hceil(S a) { return rounded(ceil(a.wide())); }
  friend S hfloor(S a) { return rounded(floor(a.wide())); }
  friend S htrunc(S a) { return rounded(trunc(a.wide())); }
  friend S hrint(S a) { return rounded(rint(a.wide())); }

 private:
  template <class T>
  static constexpr unsigned short of_number(T value) {
    if constexpr (std::is_integral_v<T>)
      return encoded<Format>(odd_double(value));
    else if constexpr (std::is_same_v<T, float>)
      return encoded<Format>(static_cast<double>(value));
    else
      return converted<Format>(static_cast<double>(value));
  }
  constexpr double wide() const { return static_cast<double>(decoded<Format>(bits_)); }
  constexpr bool is_nan() const { return (bits_ & ~kSmallSign) > Format::kInfinity; }
  constexpr S quiet() const { return is_nan() ? of_bits(kSmallNaN) : *this; }
  static bool before(S a, S b) {
    return a < b || (a == b && (a.bits_ & kSmallSign) > (b.bits_ & kSmallSign));
  }
  static S saturated_unit(S a) { return a > S(0) ? (a < S(1) ? a : S(1)) : S(0); }

  unsigned short bits_;
};

// Two of them, in 4 bytes that one access moves.
template <class Format>
struct alignas(4) SmallPair {
  using S = SmallFloat<Format>;
  using P = SmallPair;
  S x, y;

  SmallPair() = default;
  constexpr SmallPair(S x_, S y_) : x(x_), y(y_) {}
  constexpr SmallPair(SmallPairRaw<Format> raw) : x(S::of_bits(raw.x)), y(S::of_bits(raw.y)) {}
  constexpr operator SmallPairRaw<Format>() const { return {x.bits(), y.bits()}; }
#ifdef CUCPU_TRACED
  constexpr SmallPair(const P& other) { *this = other; }
  constexpr P& operator=(const P& other) {
    if (std::is_constant_evaluated())
      x = other.x, y = other.y;
    else
      copy_whole<sizeof(P)>(this, &other);
    return *this;
  }
#endif

  P& operator+=(P b) { return *this = *this + b; }
  P& operator-=(P b) { return *this = *this - b; }
  P& operator*=(P b) { return *this = *this * b; }
  P& operator/=(P b) { return *this = *this / b; }
  P& operator++() { return *this += P(S(1), S(1)); }
  P& operator--() { return *this -= P(S(1), S(1)); }
  P operator++(int) {
    const P before = *this;
    ++*this;
    return before;
  }
  P operator--(int) {
    const P before = *this;
    --*this;
    return before;
  }

  friend P operator+(P a, P b) { return {a.x + b.x, a.y + b.y}; }
  friend P operator-(P a, P b) { return {a.x - b.x, a.y - b.y}; }
  friend P operator*(P a, P b) { return {a.x * b.x, a.y * b.y}; }
  friend P operator/(P a, P b) { return {a.x / b.x, a.y / b.y}; }
  friend P operator+(P a) { return a; }
  friend P operator-(P a) { return {-a.x, -a.y}; }
  friend bool operator==(P a, P b) { return __hbeq2(a, b); }
  friend bool operator!=(P a, P b) { return __hbneu2(a, b); }
  friend bool operator<(P a, P b) { return __hblt2(a, b); }
  friend bool operator<=(P a, P b) { return __hble2(a, b); }
  friend bool operator>(P a, P b) { return __hbgt2(a, b); }
  friend bool operator>=(P a, P b) { return __hbge2(a, b); }

  friend P __hadd2(P a, P b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }
  friend P __hadd2_rn(P a, P b) { return {__hadd_rn(a.x, b.x), __hadd_rn(a.y, b.y)}; }
  friend P __hadd2_sat(P a, P b) { return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)}; }
  friend P __hsub2(P a, P b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }
  friend P __hsub2_rn(P a, P b) { return {__hsub_rn(a.x, b.x), __hsub_rn(a.y, b.y)}; }
  friend P __hsub2_sat(P a, P b) { return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)}; }
  friend P __hmul2(P a, P b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }
  friend P __hmul2_rn(P a, P b) { return {__hmul_rn(a.x, b.x), __hmul_rn(a.y, b.y)}; }
  friend P __hmul2_sat(P a, P b) { return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)}; }
  friend P __h2div(P a, P b) { return a / b; }
  friend P __hneg2(P a) { return {__hneg(a.x), __hneg(a.y)}; }
  friend P __habs2(P a) { return {__habs(a.x), __habs(a.y)}; }
  friend P __hmin2(P a, P b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
  friend P __hmin2_nan(P a, P b) { return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)}; }
  friend P __hmax2(P a, P b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
  friend P __hmax2_nan(P a, P b) { return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)}; }

  // 1 or 0 for each element; whether both hold (b); all ones or none for each element (_mask).
  friend P __heq2(P a, P b) { return truths(__heq(a.x, b.x), __heq(a.y, b.y)); }
  friend bool __hbeq2(P a, P b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
  friend unsigned __heq2_mask(P a, P b) { return mask(__heq(a.x, b.x), __heq(a.y, b.y)); }
  friend P __hne2(P a, P b) { return truths(__hne(a.x, b.x), __hne(a.y, b.y)); }
  friend bool __hbne2(P a, P b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
  friend unsigned __hne2_mask(P a, P b) { return mask(__hne(a.x, b.x), __hne(a.y, b.y)); }
  friend P __hlt2(P a, P b) { return truths(__hlt(a.x, b.x), __hlt(a.y, b.y)); }
  friend bool __hblt2(P a, P b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
  friend unsigned __hlt2_mask(P a, P b) { return mask(__hlt(a.x, b.x), __hlt(a.y, b.y)); }
  friend P __hle2(P a, P b) { return truths(__hle(a.x, b.x), __hle(a.y, b.y)); }
  friend bool __hble2(P a, P b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
  friend unsigned __hle2_mask(P a, P b) { return mask(__hle(a.x, b.x), __hle(a.y, b.y)); }
  friend P __hgt2(P a, P b) { return truths(__hgt(a.x, b.x), __hgt(a.y, b.y)); }
  friend bool __hbgt2(P a, P b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
  friend unsigned __hgt2_mask(P a, P b) { return mask(__hgt(a.x, b.x), __hgt(a.y, b.y)); }
  friend P __hge2(P a, P b) { return truths(__hge(a.x, b.x), __hge(a.y, b.y)); }
  friend bool __hbge2(P a, P b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
  friend unsigned __hge2_mask(P a, P b) { return mask(__hge(a.x, b.x), __hge(a.y, b.y)); }
  friend P __hequ2(P a, P b) { return truths(__hequ(a.x, b.x), __hequ(a.y, b.y)); }
  friend bool __hbequ2(P a, P b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
  friend unsigned __hequ2_mask(P a, P b) { return mask(__hequ(a.x, b.x), __hequ(a.y, b.y)); }
  friend P __hneu2(P a, P b) { return truths(__hneu(a.x, b.x), __hneu(a.y, b.y)); }
  friend bool __hbneu2(P a, P b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
  friend unsigned __hneu2_mask(P a, P b) { return mask(__hneu(a.x, b.x), __hneu(a.y, b.y)); }
  friend P __hltu2(P a, P b) { return truths(__hltu(a.x, b.x), __hltu(a.y, b.y)); }
  friend bool __hbltu2(P a, P b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
  friend unsigned __hltu2_mask(P a, P b) { return mask(__hltu(a.x, b.x), __hltu(a.y, b.y)); }
  friend P __hleu2(P a, P b) { return truths(__hleu(a.x, b.x), __hleu(a.y, b.y)); }
  friend bool __hbleu2(P a, P b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
  friend unsigned __hleu2_mask(P a, P b) { return mask(__hleu(a.x, b.x), __hleu(a.y, b.y)); }
  friend P __hgtu2(P a, P b) { return truths(__hgtu(a.x, b.x), __hgtu(a.y, b.y)); }
  friend bool __hbgtu2(P a, P b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
  friend unsigned __hgtu2_mask(P a, P b) { return mask(__hgtu(a.x, b.x), __hgtu(a.y, b.y)); }
  friend P __hgeu2(P a, P b) { return truths(__hgeu(a.x, b.x), __hgeu(a.y, b.y)); }
  friend bool __hbgeu2(P a, P b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }
  friend unsigned __hgeu2_mask(P a, P b) { return mask(__hgeu(a.x, b.x), __hgeu(a.y, b.y)); }

  friend P h2sqrt(P a) { return {hsqrt(a.x), hsqrt(a.y)}; }
  friend P h2rsqrt(P a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
  friend P h2rcp(P a) { return {hrcp(a.x), hrcp(a.y)}; }
  friend P h2exp(P a) { return {hexp(a.x), hexp(a.y)}; }
  friend P h2exp2(P a) { return {hexp2(a.x), hexp2(a.y)}; }
  friend P h2exp10(P a) { return {hexp10(a.x), hexp10(a.y)}; }
  friend P h2log(P a) { return {hlog(a.x), hlog(a.y)}; }
  friend P h2log2(P a) { return {hlog2(a.x), hlog2(a.y)}; }
  friend P h2log10(P a) { return {hlog10(a.x), hlog10(a.y)}; }
  friend P h2sin(P a) { return {hsin(a.x), hsin(a.y)}; }
  friend P h2cos(P a) { return {hcos(a.x), hcos(a.y)}; }
  friend P h2tanh(P a) { return {htanh(a.x), htanh(a.y)}; }
  friend P h2tanh_approx(P a) { return {htanh_approx(a.x), htanh_approx(a.y)}; }
  friend P h2ceil(P a) { return {hceil(a.x), hceil(a.y)}; }
  friend P h2floor(P a) { return {hfloor(a.x), hfloor(a.y)}; }
  friend P h2trunc(P a) { return {htrunc(a.x), htrunc(a.y)}; }
  friend P h2rint(P a) { return {hrint(a.x), hrint(a.y)}; }
  friend P __hfma2(P a, P b, P c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
  friend P __hfma2_sat(P a, P b, P c) {
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
  }
  friend P __hfma2_relu(P a, P b, P c) {
    return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
  }
  // a * b + c of complex numbers.
  friend P __hcmadd(P a, P b, P c) {
    return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
  }
  friend P __hisnan2(P a) { return truths(__hisnan(a.x), __hisnan(a.y)); }

  friend float __low2float(P a) { return a.x; }
  friend float __high2float(P a) { return a.y; }
  friend P __lowhigh2highlow(P a) { return {a.y, a.x}; }

 private:
  static P truths(bool x, bool y) { return {S(x), S(y)}; }
  static unsigned mask(bool x, bool y) { return (x ? 0xffffu : 0) | (y ? 0xffff0000u : 0); }
};

#ifdef CUCPU_TRACED
template <class Format>
void takes_vector(const SmallFloat<Format>&);
template <class Format>
void takes_vector(const SmallPair<Format>&);
#endif

// Lanes may exchange both.
template <class Format>
constexpr bool kIsExchanged<SmallFloat<Format>> = true;
template <class Format>
constexpr bool kIsExchanged<SmallPair<Format>> = true;

template <class Format>
inline constexpr bool kIsPlainClass<SmallFloat<Format>> = true;
template <class Format>
inline constexpr bool kIsPlainClass<SmallPair<Format>> = true;

}  // namespace cucpu

// On devices these are no single instruction, except for pairs of halves.
template <class Format>
[[gnu::always_inline]] inline cucpu::SmallFloat<Format> atomicAdd(
    cucpu::SmallFloat<Format>* address, std::type_identity_t<cucpu::SmallFloat<Format>> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::Way::loop);
  using S = cucpu::SmallFloat<Format>;
  const auto add = [value](unsigned short old) { return (S::of_bits(old) + value).bits(); };
  return S::of_bits(cucpu::atomic_change(reinterpret_cast<unsigned short*>(address), add));
}
template <class Format>
[[gnu::always_inline]] inline cucpu::SmallPair<Format> atomicAdd(
    cucpu::SmallPair<Format>* address, std::type_identity_t<cucpu::SmallPair<Format>> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::Way::loop);
  using P = cucpu::SmallPair<Format>;
  const auto add = [value](unsigned old) {
    return std::bit_cast<unsigned>(
        cucpu::SmallPairRaw<Format>(P(std::bit_cast<cucpu::SmallPairRaw<Format>>(old)) + value));
  };
  return P(std::bit_cast<cucpu::SmallPairRaw<Format>>(
      cucpu::atomic_change(reinterpret_cast<unsigned*>(address), add)));
}
