// bfloat16 and bfloat162: floating point of 16 bits with the range of float and 8 bits of
// precision.
#pragma once

#define __CUDA_BF16_H__  // NVIDIA's include guard, which programs ask for

#include "cucpu/device/small_arithmetic.h"
#include "cuda_runtime.h"

using __nv_bfloat16_raw = cucpu::SmallRaw<cucpu::BFloat16>;
using __nv_bfloat162_raw = cucpu::SmallPairRaw<cucpu::BFloat16>;
using __nv_bfloat16 = cucpu::SmallFloat<cucpu::BFloat16>;
using __nv_bfloat162 = cucpu::SmallPair<cucpu::BFloat16>;
#ifndef CUDA_NO_BFLOAT16
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
#endif

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

inline __nv_bfloat16 __float2bfloat16(float a) { return a; }
inline __nv_bfloat16 __double2bfloat16(double a) { return a; }
inline float __bfloat162float(__nv_bfloat16 a) { return a; }
inline __nv_bfloat16 __float2bfloat16_rn(float a) {
  return __nv_bfloat16::rounded(static_cast<double>(a), cucpu::Rounding::nearest);
}
inline __nv_bfloat16 __float2bfloat16_rz(float a) {
  return __nv_bfloat16::rounded(static_cast<double>(a), cucpu::Rounding::zero);
}
inline __nv_bfloat16 __float2bfloat16_ru(float a) {
  return __nv_bfloat16::rounded(static_cast<double>(a), cucpu::Rounding::up);
}
inline __nv_bfloat16 __float2bfloat16_rd(float a) {
  return __nv_bfloat16::rounded(static_cast<double>(a), cucpu::Rounding::down);
}

// From and to integers, clamped to their range. NaN becomes 0, or the lowest number of 64 bits.
inline __nv_bfloat16 __short2bfloat16_rn(short a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline short __bfloat162short_rn(__nv_bfloat16 a) {
  return cucpu::saturated<short>(__builtin_rintf(a));
}
inline __nv_bfloat16 __short2bfloat16_rz(short a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline short __bfloat162short_rz(__nv_bfloat16 a) {
  return cucpu::saturated<short>(__builtin_truncf(a));
}
inline __nv_bfloat16 __short2bfloat16_ru(short a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline short __bfloat162short_ru(__nv_bfloat16 a) {
  return cucpu::saturated<short>(__builtin_ceilf(a));
}
inline __nv_bfloat16 __short2bfloat16_rd(short a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline short __bfloat162short_rd(__nv_bfloat16 a) {
  return cucpu::saturated<short>(__builtin_floorf(a));
}
inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline unsigned short __bfloat162ushort_rn(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned short>(__builtin_rintf(a));
}
inline __nv_bfloat16 __ushort2bfloat16_rz(unsigned short a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline unsigned short __bfloat162ushort_rz(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned short>(__builtin_truncf(a));
}
inline __nv_bfloat16 __ushort2bfloat16_ru(unsigned short a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline unsigned short __bfloat162ushort_ru(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned short>(__builtin_ceilf(a));
}
inline __nv_bfloat16 __ushort2bfloat16_rd(unsigned short a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline unsigned short __bfloat162ushort_rd(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned short>(__builtin_floorf(a));
}
inline __nv_bfloat16 __int2bfloat16_rn(int a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline int __bfloat162int_rn(__nv_bfloat16 a) { return cucpu::saturated<int>(__builtin_rintf(a)); }
inline __nv_bfloat16 __int2bfloat16_rz(int a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline int __bfloat162int_rz(__nv_bfloat16 a) { return cucpu::saturated<int>(__builtin_truncf(a)); }
inline __nv_bfloat16 __int2bfloat16_ru(int a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline int __bfloat162int_ru(__nv_bfloat16 a) { return cucpu::saturated<int>(__builtin_ceilf(a)); }
inline __nv_bfloat16 __int2bfloat16_rd(int a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline int __bfloat162int_rd(__nv_bfloat16 a) { return cucpu::saturated<int>(__builtin_floorf(a)); }
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline unsigned __bfloat162uint_rn(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned>(__builtin_rintf(a));
}
inline __nv_bfloat16 __uint2bfloat16_rz(unsigned a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline unsigned __bfloat162uint_rz(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned>(__builtin_truncf(a));
}
inline __nv_bfloat16 __uint2bfloat16_ru(unsigned a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline unsigned __bfloat162uint_ru(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned>(__builtin_ceilf(a));
}
inline __nv_bfloat16 __uint2bfloat16_rd(unsigned a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline unsigned __bfloat162uint_rd(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned>(__builtin_floorf(a));
}
inline __nv_bfloat16 __ll2bfloat16_rn(long long a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline long long __bfloat162ll_rn(__nv_bfloat16 a) {
  return cucpu::saturated<long long>(__builtin_rintf(a));
}
inline __nv_bfloat16 __ll2bfloat16_rz(long long a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline long long __bfloat162ll_rz(__nv_bfloat16 a) {
  return cucpu::saturated<long long>(__builtin_truncf(a));
}
inline __nv_bfloat16 __ll2bfloat16_ru(long long a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline long long __bfloat162ll_ru(__nv_bfloat16 a) {
  return cucpu::saturated<long long>(__builtin_ceilf(a));
}
inline __nv_bfloat16 __ll2bfloat16_rd(long long a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline long long __bfloat162ll_rd(__nv_bfloat16 a) {
  return cucpu::saturated<long long>(__builtin_floorf(a));
}
inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline unsigned long long __bfloat162ull_rn(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned long long>(__builtin_rintf(a));
}
inline __nv_bfloat16 __ull2bfloat16_rz(unsigned long long a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline unsigned long long __bfloat162ull_rz(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned long long>(__builtin_truncf(a));
}
inline __nv_bfloat16 __ull2bfloat16_ru(unsigned long long a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline unsigned long long __bfloat162ull_ru(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned long long>(__builtin_ceilf(a));
}
inline __nv_bfloat16 __ull2bfloat16_rd(unsigned long long a) {
  return __nv_bfloat16::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline unsigned long long __bfloat162ull_rd(__nv_bfloat16 a) {
  return cucpu::saturated<unsigned long long>(__builtin_floorf(a));
}
inline signed char __bfloat162char_rz(__nv_bfloat16 a) { return a; }
inline unsigned char __bfloat162uchar_rz(__nv_bfloat16 a) { return a; }

// The bits.
inline short __bfloat16_as_short(__nv_bfloat16 a) { return static_cast<short>(a.bits()); }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits(); }
inline __nv_bfloat16 __short_as_bfloat16(short a) {
  return __nv_bfloat16::of_bits(static_cast<unsigned short>(a));
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16::of_bits(a); }

// Pairs.
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
inline __nv_bfloat162 __float2bfloat162_rn(float a) { return {a, a}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {a, b}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {a.x, a.y}; }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {a.x, a.y}; }
