// Mathematical functions that CUDA has and the C library has not, and the fast forms of those that
// it has. The fast forms are as exact as the slow ones here.
#pragma once

#include <math.h>

inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
inline float fdividef(float x, float y) { return x / y; }
inline float __fdividef(float x, float y) { return x / y; }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1 / cbrtf(x); }
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline float rhypotf(float x, float y) { return 1 / hypotf(x, y); }
inline double rhypot(double x, double y) { return 1 / hypot(x, y); }
inline float norm3df(float x, float y, float z) { return hypotf(hypotf(x, y), z); }
inline double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
inline float rnorm3df(float x, float y, float z) { return 1 / norm3df(x, y, z); }
inline double rnorm3d(double x, double y, double z) { return 1 / norm3d(x, y, z); }
inline float norm4df(float x, float y, float z, float w) { return hypotf(norm3df(x, y, z), w); }
inline double norm4d(double x, double y, double z, double w) { return hypot(norm3d(x, y, z), w); }
inline float rnorm4df(float x, float y, float z, float w) { return 1 / norm4df(x, y, z, w); }
inline double rnorm4d(double x, double y, double z, double w) { return 1 / norm4d(x, y, z, w); }
// The length of a vector of `dimensions` numbers. Programs may have their own function norm().
inline float normf(int dimensions, const float* p) {
  float length = 0;
  for (int i = 0; i < dimensions; ++i) length = hypotf(length, p[i]);
  return length;
}
template <int = 0>
double norm(int dimensions, const double* p) {
  double length = 0;
  for (int i = 0; i < dimensions; ++i) length = hypot(length, p[i]);
  return length;
}
inline float rnormf(int dimensions, const float* p) { return 1 / normf(dimensions, p); }
template <int = 0>
double rnorm(int dimensions, const double* p) {
  return 1 / norm(dimensions, p);
}
// The distribution function of the standard normal distribution.
inline float normcdff(float x) { return 0.5f * erfcf(-x * static_cast<float>(M_SQRT1_2)); }
inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

// sin(pi x) and cos(pi x), exact where x is a multiple of 1/2.
inline double sinpi(double x) {
  const double turns = fmod(x, 2.0);  // in (-2, 2)
  const double quarters = rint(2 * turns);
  const double rest = M_PI * (turns - quarters / 2);
  switch (static_cast<int>(quarters) & 3) {
    case 0:
      return sin(rest);
    case 1:
      return cos(rest);
    case 2:
      return -sin(rest);
    default:
      return -cos(rest);
  }
}
inline double cospi(double x) { return sinpi(fmod(x, 2.0) + 0.5); }
inline float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}

// The C library's own headers declare some of these, as they are, without ever defining them.
inline float __sinf(float x) noexcept { return sinf(x); }
inline float __cosf(float x) noexcept { return cosf(x); }
inline float __tanf(float x) noexcept { return tanf(x); }
inline float __tanhf(float x) noexcept { return tanhf(x); }
inline void __sincosf(float x, float* sine, float* cosine) noexcept {
  *sine = sinf(x);
  *cosine = cosf(x);
}
inline float __expf(float x) noexcept { return expf(x); }
inline float __exp10f(float x) noexcept { return exp10f(x); }
inline float __logf(float x) noexcept { return logf(x); }
inline float __log2f(float x) noexcept { return log2f(x); }
inline float __log10f(float x) noexcept { return log10f(x); }
inline float __powf(float x, float y) noexcept { return powf(x, y); }
