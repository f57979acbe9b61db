// Casts of bits, and conversions of floating point to integers that round as their names say and
// end at the integer type's limits.
#pragma once

#include <bit>
#include <limits>
#include <type_traits>

namespace cucpu {

// Requires a whole number, an infinity or a NaN. A NaN becomes what the device makes of it.
template <class To, class From>
To saturated(From value) {
  using Limits = std::numeric_limits<To>;
  if (value != value) {
    constexpr bool kWide = sizeof(To) == 8 || sizeof(From) == 8;
    return kWide ? static_cast<To>(std::make_unsigned_t<To>{1} << (sizeof(To) * 8 - 1)) : To{0};
  }
  // The limit above is a power of two less one, which From may not be able to hold.
  constexpr From kEnd = static_cast<From>(Limits::max() / 2 + 1) * 2;
  if (value >= kEnd) return Limits::max();
  if (value <= static_cast<From>(Limits::min())) return Limits::min();
  return static_cast<To>(value);
}

}  // namespace cucpu

inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __double2hiint(double x) {
  return static_cast<int>(std::bit_cast<unsigned long long>(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(std::bit_cast<unsigned long long>(x));
}
inline double __hiloint2double(int high, int low) {
  const unsigned long long upper = static_cast<unsigned>(high);
  return std::bit_cast<double>(upper << 32 | static_cast<unsigned>(low));
}

inline int __float2int_rn(float x) { return cucpu::saturated<int>(__builtin_rintf(x)); }
inline int __float2int_rz(float x) { return cucpu::saturated<int>(__builtin_truncf(x)); }
inline int __float2int_ru(float x) { return cucpu::saturated<int>(__builtin_ceilf(x)); }
inline int __float2int_rd(float x) { return cucpu::saturated<int>(__builtin_floorf(x)); }
inline unsigned __float2uint_rn(float x) { return cucpu::saturated<unsigned>(__builtin_rintf(x)); }
inline unsigned __float2uint_rz(float x) { return cucpu::saturated<unsigned>(__builtin_truncf(x)); }
inline unsigned __float2uint_ru(float x) { return cucpu::saturated<unsigned>(__builtin_ceilf(x)); }
inline unsigned __float2uint_rd(float x) { return cucpu::saturated<unsigned>(__builtin_floorf(x)); }
inline long long __float2ll_rn(float x) { return cucpu::saturated<long long>(__builtin_rintf(x)); }
inline long long __float2ll_rz(float x) { return cucpu::saturated<long long>(__builtin_truncf(x)); }
inline long long __float2ll_ru(float x) { return cucpu::saturated<long long>(__builtin_ceilf(x)); }
inline long long __float2ll_rd(float x) { return cucpu::saturated<long long>(__builtin_floorf(x)); }
inline unsigned long long __float2ull_rn(float x) {
  return cucpu::saturated<unsigned long long>(__builtin_rintf(x));
}
inline unsigned long long __float2ull_rz(float x) {
  return cucpu::saturated<unsigned long long>(__builtin_truncf(x));
}
inline unsigned long long __float2ull_ru(float x) {
  return cucpu::saturated<unsigned long long>(__builtin_ceilf(x));
}
inline unsigned long long __float2ull_rd(float x) {
  return cucpu::saturated<unsigned long long>(__builtin_floorf(x));
}

inline int __double2int_rn(double x) { return cucpu::saturated<int>(__builtin_rint(x)); }
inline int __double2int_rz(double x) { return cucpu::saturated<int>(__builtin_trunc(x)); }
inline int __double2int_ru(double x) { return cucpu::saturated<int>(__builtin_ceil(x)); }
inline int __double2int_rd(double x) { return cucpu::saturated<int>(__builtin_floor(x)); }
inline unsigned __double2uint_rn(double x) { return cucpu::saturated<unsigned>(__builtin_rint(x)); }
inline unsigned __double2uint_rz(double x) {
  return cucpu::saturated<unsigned>(__builtin_trunc(x));
}
inline unsigned __double2uint_ru(double x) { return cucpu::saturated<unsigned>(__builtin_ceil(x)); }
inline unsigned __double2uint_rd(double x) {
  return cucpu::saturated<unsigned>(__builtin_floor(x));
}
inline long long __double2ll_rn(double x) { return cucpu::saturated<long long>(__builtin_rint(x)); }
inline long long __double2ll_rz(double x) {
  return cucpu::saturated<long long>(__builtin_trunc(x));
}
inline long long __double2ll_ru(double x) { return cucpu::saturated<long long>(__builtin_ceil(x)); }
inline long long __double2ll_rd(double x) {
  return cucpu::saturated<long long>(__builtin_floor(x));
}
inline unsigned long long __double2ull_rn(double x) {
  return cucpu::saturated<unsigned long long>(__builtin_rint(x));
}
inline unsigned long long __double2ull_rz(double x) {
  return cucpu::saturated<unsigned long long>(__builtin_trunc(x));
}
inline unsigned long long __double2ull_ru(double x) {
  return cucpu::saturated<unsigned long long>(__builtin_ceil(x));
}
inline unsigned long long __double2ull_rd(double x) {
  return cucpu::saturated<unsigned long long>(__builtin_floor(x));
}
