// Arithmetic with the rounding in the name: _rn to nearest even, _rz towards zero, _ru up, _rd
// down.
#pragma once

#include <fenv.h>

namespace cucpu {

// Keeps the compiler from moving what makes or uses `value` across this place.
template <class T>
void pin(T& value) {
  asm volatile("" : "+m"(value));
}

// op(args...) computed in that rounding mode of the host.
template <class Op, class... Args>
auto rounded(int mode, Op op, Args... args) {
  const int before = fegetround();
  fesetround(mode);
  (pin(args), ...);
  auto result = op(args...);
  pin(result);
  fesetround(before);
  return result;
}

// The operations of which the functions below are made.
struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct MultiplyAdd {
  float operator()(float a, float b, float c) const { return __builtin_fmaf(a, b, c); }
  double operator()(double a, double b, double c) const { return __builtin_fma(a, b, c); }
};
struct SquareRoot {
  float operator()(float a) const { return __builtin_sqrtf(a); }
  double operator()(double a) const { return __builtin_sqrt(a); }
};
template <class To>
struct Convert {
  template <class T>
  To operator()(T a) const {
    return static_cast<To>(a);
  }
};

}  // namespace cucpu

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fadd_rz(float a, float b) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Add{}, a, b);
}
inline float __fadd_ru(float a, float b) { return cucpu::rounded(FE_UPWARD, cucpu::Add{}, a, b); }
inline float __fadd_rd(float a, float b) { return cucpu::rounded(FE_DOWNWARD, cucpu::Add{}, a, b); }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fsub_rz(float a, float b) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Subtract{}, a, b);
}
inline float __fsub_ru(float a, float b) {
  return cucpu::rounded(FE_UPWARD, cucpu::Subtract{}, a, b);
}
inline float __fsub_rd(float a, float b) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Subtract{}, a, b);
}
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fmul_rz(float a, float b) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Multiply{}, a, b);
}
inline float __fmul_ru(float a, float b) {
  return cucpu::rounded(FE_UPWARD, cucpu::Multiply{}, a, b);
}
inline float __fmul_rd(float a, float b) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Multiply{}, a, b);
}
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fdiv_rz(float a, float b) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Divide{}, a, b);
}
inline float __fdiv_ru(float a, float b) {
  return cucpu::rounded(FE_UPWARD, cucpu::Divide{}, a, b);
}
inline float __fdiv_rd(float a, float b) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Divide{}, a, b);
}
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float __fmaf_rz(float a, float b, float c) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::MultiplyAdd{}, a, b, c);
}
inline float __fmaf_ru(float a, float b, float c) {
  return cucpu::rounded(FE_UPWARD, cucpu::MultiplyAdd{}, a, b, c);
}
inline float __fmaf_rd(float a, float b, float c) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::MultiplyAdd{}, a, b, c);
}
// The same, whatever -ftz says.
inline float __fmaf_ieee_rn(float a, float b, float c) { return __fmaf_rn(a, b, c); }
inline float __fmaf_ieee_rz(float a, float b, float c) { return __fmaf_rz(a, b, c); }
inline float __fmaf_ieee_ru(float a, float b, float c) { return __fmaf_ru(a, b, c); }
inline float __fmaf_ieee_rd(float a, float b, float c) { return __fmaf_rd(a, b, c); }
inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
inline float __fsqrt_rz(float a) { return cucpu::rounded(FE_TOWARDZERO, cucpu::SquareRoot{}, a); }
inline float __fsqrt_ru(float a) { return cucpu::rounded(FE_UPWARD, cucpu::SquareRoot{}, a); }
inline float __fsqrt_rd(float a) { return cucpu::rounded(FE_DOWNWARD, cucpu::SquareRoot{}, a); }
inline float __frcp_rn(float a) { return 1 / a; }
inline float __frcp_rz(float a) { return cucpu::rounded(FE_TOWARDZERO, cucpu::Divide{}, 1.0f, a); }
inline float __frcp_ru(float a) { return cucpu::rounded(FE_UPWARD, cucpu::Divide{}, 1.0f, a); }
inline float __frcp_rd(float a) { return cucpu::rounded(FE_DOWNWARD, cucpu::Divide{}, 1.0f, a); }

inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dadd_rz(double a, double b) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Add{}, a, b);
}
inline double __dadd_ru(double a, double b) {
  return cucpu::rounded(FE_UPWARD, cucpu::Add{}, a, b);
}
inline double __dadd_rd(double a, double b) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Add{}, a, b);
}
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dsub_rz(double a, double b) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Subtract{}, a, b);
}
inline double __dsub_ru(double a, double b) {
  return cucpu::rounded(FE_UPWARD, cucpu::Subtract{}, a, b);
}
inline double __dsub_rd(double a, double b) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Subtract{}, a, b);
}
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dmul_rz(double a, double b) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Multiply{}, a, b);
}
inline double __dmul_ru(double a, double b) {
  return cucpu::rounded(FE_UPWARD, cucpu::Multiply{}, a, b);
}
inline double __dmul_rd(double a, double b) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Multiply{}, a, b);
}
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __ddiv_rz(double a, double b) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Divide{}, a, b);
}
inline double __ddiv_ru(double a, double b) {
  return cucpu::rounded(FE_UPWARD, cucpu::Divide{}, a, b);
}
inline double __ddiv_rd(double a, double b) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Divide{}, a, b);
}
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double __fma_rz(double a, double b, double c) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::MultiplyAdd{}, a, b, c);
}
inline double __fma_ru(double a, double b, double c) {
  return cucpu::rounded(FE_UPWARD, cucpu::MultiplyAdd{}, a, b, c);
}
inline double __fma_rd(double a, double b, double c) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::MultiplyAdd{}, a, b, c);
}
inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
inline double __dsqrt_rz(double a) { return cucpu::rounded(FE_TOWARDZERO, cucpu::SquareRoot{}, a); }
inline double __dsqrt_ru(double a) { return cucpu::rounded(FE_UPWARD, cucpu::SquareRoot{}, a); }
inline double __dsqrt_rd(double a) { return cucpu::rounded(FE_DOWNWARD, cucpu::SquareRoot{}, a); }
inline double __drcp_rn(double a) { return 1 / a; }
inline double __drcp_rz(double a) { return cucpu::rounded(FE_TOWARDZERO, cucpu::Divide{}, 1.0, a); }
inline double __drcp_ru(double a) { return cucpu::rounded(FE_UPWARD, cucpu::Divide{}, 1.0, a); }
inline double __drcp_rd(double a) { return cucpu::rounded(FE_DOWNWARD, cucpu::Divide{}, 1.0, a); }

inline float __frsqrt_rn(float a) {
  return static_cast<float>(1 / __builtin_sqrt(static_cast<double>(a)));
}

inline float __int2float_rn(int a) { return static_cast<float>(a); }
inline float __int2float_rz(int a) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Convert<float>{}, a);
}
inline float __int2float_ru(int a) { return cucpu::rounded(FE_UPWARD, cucpu::Convert<float>{}, a); }
inline float __int2float_rd(int a) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Convert<float>{}, a);
}
inline float __uint2float_rn(unsigned a) { return static_cast<float>(a); }
inline float __uint2float_rz(unsigned a) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Convert<float>{}, a);
}
inline float __uint2float_ru(unsigned a) {
  return cucpu::rounded(FE_UPWARD, cucpu::Convert<float>{}, a);
}
inline float __uint2float_rd(unsigned a) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Convert<float>{}, a);
}
inline float __ll2float_rn(long long a) { return static_cast<float>(a); }
inline float __ll2float_rz(long long a) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Convert<float>{}, a);
}
inline float __ll2float_ru(long long a) {
  return cucpu::rounded(FE_UPWARD, cucpu::Convert<float>{}, a);
}
inline float __ll2float_rd(long long a) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Convert<float>{}, a);
}
inline float __ull2float_rn(unsigned long long a) { return static_cast<float>(a); }
inline float __ull2float_rz(unsigned long long a) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Convert<float>{}, a);
}
inline float __ull2float_ru(unsigned long long a) {
  return cucpu::rounded(FE_UPWARD, cucpu::Convert<float>{}, a);
}
inline float __ull2float_rd(unsigned long long a) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Convert<float>{}, a);
}
inline double __ll2double_rn(long long a) { return static_cast<double>(a); }
inline double __ll2double_rz(long long a) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Convert<double>{}, a);
}
inline double __ll2double_ru(long long a) {
  return cucpu::rounded(FE_UPWARD, cucpu::Convert<double>{}, a);
}
inline double __ll2double_rd(long long a) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Convert<double>{}, a);
}
inline double __ull2double_rn(unsigned long long a) { return static_cast<double>(a); }
inline double __ull2double_rz(unsigned long long a) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Convert<double>{}, a);
}
inline double __ull2double_ru(unsigned long long a) {
  return cucpu::rounded(FE_UPWARD, cucpu::Convert<double>{}, a);
}
inline double __ull2double_rd(unsigned long long a) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Convert<double>{}, a);
}
inline float __double2float_rn(double a) { return static_cast<float>(a); }
inline float __double2float_rz(double a) {
  return cucpu::rounded(FE_TOWARDZERO, cucpu::Convert<float>{}, a);
}
inline float __double2float_ru(double a) {
  return cucpu::rounded(FE_UPWARD, cucpu::Convert<float>{}, a);
}
inline float __double2float_rd(double a) {
  return cucpu::rounded(FE_DOWNWARD, cucpu::Convert<float>{}, a);
}
inline double __int2double_rn(int a) { return a; }
inline double __uint2double_rn(unsigned a) { return a; }
