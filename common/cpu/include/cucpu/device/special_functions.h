// Inverses of the error functions and of the normal distribution, the scaled error function, and
// the modified Bessel functions.
#pragma once

#include <math.h>

#include <cmath>

namespace cucpu {

// Solves erfc(y) = z for z in (0, 1]: from the approximation 26.2.23 of Abramowitz and Stegun by
// Halley's method.
inline double small_erfcinv(double z) {
  const double t = sqrt(-2 * log(z / 2));
  const double top = 2.515517 + t * (0.802853 + t * 0.010328);
  const double bottom = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  double y = (t - top / bottom) * M_SQRT1_2;
  for (int i = 0; i < 3; ++i) {
    const double u = (erfc(y) - z) / (-M_2_SQRTPI * exp(-y * y));
    y -= u / (1 + u * y);
  }
  return y;
}

}  // namespace cucpu

inline double erfcinv(double z) {
  if (!(z >= 0 && z <= 2)) return NAN;
  if (z == 0 || z == 2) return z == 0 ? INFINITY : -INFINITY;
  return z <= 1 ? cucpu::small_erfcinv(z) : -cucpu::small_erfcinv(2 - z);
}
inline double erfinv(double x) {
  if (!(fabs(x) <= 1)) return NAN;
  if (fabs(x) == 1) return copysign(INFINITY, x);
  if (fabs(x) > 0.5) return copysign(cucpu::small_erfcinv(1 - fabs(x)), x);
  double y = x / M_2_SQRTPI;
  for (int i = 0; i < 5; ++i) y -= (erf(y) - x) / (M_2_SQRTPI * exp(-y * y));
  return y;
}
// The argument at which the normal distribution function is p.
inline double normcdfinv(double p) { return -M_SQRT2 * erfcinv(2 * p); }
// exp(x * x) * erfc(x), which neither overflows nor underflows where x is large.
inline double erfcx(double x) {
  constexpr double kLarge = 20;
  if (x < kLarge) {
    const double square = x * x;
    return exp(square) * erfc(x) * (1 + fma(x, x, -square));
  }
  double term = 1;
  double sum = 1;
  for (int i = 1; i < 20; i += 2) sum += term *= -i / (2 * x * x);
  return sum * M_2_SQRTPI / 2 / x;
}
inline double cyl_bessel_i0(double x) { return std::cyl_bessel_i(0.0, fabs(x)); }
inline double cyl_bessel_i1(double x) { return copysign(std::cyl_bessel_i(1.0, fabs(x)), x); }

inline float erfcinvf(float z) { return static_cast<float>(erfcinv(static_cast<double>(z))); }
inline float erfinvf(float x) { return static_cast<float>(erfinv(static_cast<double>(x))); }
inline float normcdfinvf(float p) { return static_cast<float>(normcdfinv(static_cast<double>(p))); }
inline float erfcxf(float x) { return static_cast<float>(erfcx(static_cast<double>(x))); }
inline float cyl_bessel_i0f(float x) {
  return static_cast<float>(cyl_bessel_i0(static_cast<double>(x)));
}
inline float cyl_bessel_i1f(float x) {
  return static_cast<float>(cyl_bessel_i1(static_cast<double>(x)));
}
