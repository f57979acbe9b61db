// half and half2: floating point of 16 bits with 11 bits of precision.
#pragma once

#define __CUDA_FP16_H__  // NVIDIA's include guard, which programs ask for

#include "cucpu/device/small_arithmetic.h"
#include "cuda_runtime.h"

using __half_raw = cucpu::SmallRaw<cucpu::Half>;
using __half2_raw = cucpu::SmallPairRaw<cucpu::Half>;
using __half = cucpu::SmallFloat<cucpu::Half>;
using __half2 = cucpu::SmallPair<cucpu::Half>;
#ifndef CUDA_NO_HALF
using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;
#endif

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)

inline __half __float2half(float a) { return a; }
inline __half __double2half(double a) { return a; }
inline float __half2float(__half a) { return a; }
inline __half __float2half_rn(float a) {
  return __half::rounded(static_cast<double>(a), cucpu::Rounding::nearest);
}
inline __half __float2half_rz(float a) {
  return __half::rounded(static_cast<double>(a), cucpu::Rounding::zero);
}
inline __half __float2half_ru(float a) {
  return __half::rounded(static_cast<double>(a), cucpu::Rounding::up);
}
inline __half __float2half_rd(float a) {
  return __half::rounded(static_cast<double>(a), cucpu::Rounding::down);
}

// From and to integers, clamped to their range. NaN becomes 0, or the lowest number of 64 bits.
inline __half __short2half_rn(short a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline short __half2short_rn(__half a) { return cucpu::saturated<short>(__builtin_rintf(a)); }
inline __half __short2half_rz(short a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline short __half2short_rz(__half a) { return cucpu::saturated<short>(__builtin_truncf(a)); }
inline __half __short2half_ru(short a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline short __half2short_ru(__half a) { return cucpu::saturated<short>(__builtin_ceilf(a)); }
inline __half __short2half_rd(short a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline short __half2short_rd(__half a) { return cucpu::saturated<short>(__builtin_floorf(a)); }
inline __half __ushort2half_rn(unsigned short a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline unsigned short __half2ushort_rn(__half a) {
  return cucpu::saturated<unsigned short>(__builtin_rintf(a));
}
inline __half __ushort2half_rz(unsigned short a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline unsigned short __half2ushort_rz(__half a) {
  return cucpu::saturated<unsigned short>(__builtin_truncf(a));
}
inline __half __ushort2half_ru(unsigned short a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline unsigned short __half2ushort_ru(__half a) {
  return cucpu::saturated<unsigned short>(__builtin_ceilf(a));
}
inline __half __ushort2half_rd(unsigned short a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline unsigned short __half2ushort_rd(__half a) {
  return cucpu::saturated<unsigned short>(__builtin_floorf(a));
}
inline __half __int2half_rn(int a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline int __half2int_rn(__half a) { return cucpu::saturated<int>(__builtin_rintf(a)); }
inline __half __int2half_rz(int a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline int __half2int_rz(__half a) { return cucpu::saturated<int>(__builtin_truncf(a)); }
inline __half __int2half_ru(int a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline int __half2int_ru(__half a) { return cucpu::saturated<int>(__builtin_ceilf(a)); }
inline __half __int2half_rd(int a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline int __half2int_rd(__half a) { return cucpu::saturated<int>(__builtin_floorf(a)); }
inline __half __uint2half_rn(unsigned a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline unsigned __half2uint_rn(__half a) { return cucpu::saturated<unsigned>(__builtin_rintf(a)); }
inline __half __uint2half_rz(unsigned a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline unsigned __half2uint_rz(__half a) { return cucpu::saturated<unsigned>(__builtin_truncf(a)); }
inline __half __uint2half_ru(unsigned a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline unsigned __half2uint_ru(__half a) { return cucpu::saturated<unsigned>(__builtin_ceilf(a)); }
inline __half __uint2half_rd(unsigned a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline unsigned __half2uint_rd(__half a) { return cucpu::saturated<unsigned>(__builtin_floorf(a)); }
inline __half __ll2half_rn(long long a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline long long __half2ll_rn(__half a) { return cucpu::saturated<long long>(__builtin_rintf(a)); }
inline __half __ll2half_rz(long long a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline long long __half2ll_rz(__half a) { return cucpu::saturated<long long>(__builtin_truncf(a)); }
inline __half __ll2half_ru(long long a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline long long __half2ll_ru(__half a) { return cucpu::saturated<long long>(__builtin_ceilf(a)); }
inline __half __ll2half_rd(long long a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline long long __half2ll_rd(__half a) { return cucpu::saturated<long long>(__builtin_floorf(a)); }
inline __half __ull2half_rn(unsigned long long a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::nearest);
}
inline unsigned long long __half2ull_rn(__half a) {
  return cucpu::saturated<unsigned long long>(__builtin_rintf(a));
}
inline __half __ull2half_rz(unsigned long long a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::zero);
}
inline unsigned long long __half2ull_rz(__half a) {
  return cucpu::saturated<unsigned long long>(__builtin_truncf(a));
}
inline __half __ull2half_ru(unsigned long long a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::up);
}
inline unsigned long long __half2ull_ru(__half a) {
  return cucpu::saturated<unsigned long long>(__builtin_ceilf(a));
}
inline __half __ull2half_rd(unsigned long long a) {
  return __half::rounded(cucpu::odd_double(a), cucpu::Rounding::down);
}
inline unsigned long long __half2ull_rd(__half a) {
  return cucpu::saturated<unsigned long long>(__builtin_floorf(a));
}
inline signed char __half2char_rz(__half a) { return a; }
inline unsigned char __half2uchar_rz(__half a) { return a; }

// The bits.
inline short __half_as_short(__half a) { return static_cast<short>(a.bits()); }
inline unsigned short __half_as_ushort(__half a) { return a.bits(); }
inline __half __short_as_half(short a) { return __half::of_bits(static_cast<unsigned short>(a)); }
inline __half __ushort_as_half(unsigned short a) { return __half::of_bits(a); }

// Pairs.
inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
inline __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
inline __half2 __float2half2_rn(float a) { return {a, a}; }
inline __half2 __floats2half2_rn(float a, float b) { return {a, b}; }
inline __half2 __float22half2_rn(float2 a) { return {a.x, a.y}; }
inline float2 __half22float2(__half2 a) { return {a.x, a.y}; }
