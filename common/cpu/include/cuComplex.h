// Complex numbers of one or two floats or doubles: pairs, with functions for the arithmetic.
#pragma once

#define CU_COMPLEX_H_  // NVIDIA's include guard, which programs ask for

#include <math.h>

#include "cuda_runtime.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

inline float cuCrealf(cuFloatComplex a) { return a.x; }
inline float cuCimagf(cuFloatComplex a) { return a.y; }
inline cuFloatComplex make_cuFloatComplex(float real, float imaginary) { return {real, imaginary}; }
inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
inline cuFloatComplex cuConjf(cuFloatComplex a) { return {a.x, -a.y}; }
inline cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return {a.x + b.x, a.y + b.y}; }
inline cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return {a.x - b.x, a.y - b.y}; }
inline cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
// Scaled, so that no square overflows that the quotient does not.
inline cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
  const float scale = 1.0f / (fabsf(b.x) + fabsf(b.y));
  const cuFloatComplex n{a.x * scale, a.y * scale};
  const cuFloatComplex d{b.x * scale, b.y * scale};
  const float reciprocal = 1.0f / (d.x * d.x + d.y * d.y);
  return {(n.x * d.x + n.y * d.y) * reciprocal, (n.y * d.x - n.x * d.y) * reciprocal};
}
inline float cuCabsf(cuFloatComplex a) { return hypotf(a.x, a.y); }
inline cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  return {a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x};
}

inline double cuCreal(cuDoubleComplex a) { return a.x; }
inline double cuCimag(cuDoubleComplex a) { return a.y; }
inline cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) {
  return {real, imaginary};
}
inline cuDoubleComplex cuConj(cuDoubleComplex a) { return {a.x, -a.y}; }
inline cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) {
  return {a.x + b.x, a.y + b.y};
}
inline cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) {
  return {a.x - b.x, a.y - b.y};
}
inline cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
inline cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
  const double scale = 1.0 / (fabs(b.x) + fabs(b.y));
  const cuDoubleComplex n{a.x * scale, a.y * scale};
  const cuDoubleComplex d{b.x * scale, b.y * scale};
  const double reciprocal = 1.0 / (d.x * d.x + d.y * d.y);
  return {(n.x * d.x + n.y * d.y) * reciprocal, (n.y * d.x - n.x * d.y) * reciprocal};
}
inline double cuCabs(cuDoubleComplex a) { return hypot(a.x, a.y); }
inline cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return {a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x};
}

inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
