// The host's BLAS, by its Fortran names, which every implementation has. The checkers do not see
// the library's own stores, so they are told what it writes.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda_runtime_api.h"

extern "C" {
#define CUCPU_BLAS_OF(T, t)                                                                       \
  void t##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*, \
                const int*, const T*, const int*, const T*, T*, const int*);                      \
  void t##gemv_(const char*, const int*, const int*, const T*, const T*, const int*, const T*,    \
                const int*, const T*, T*, const int*);                                            \
  void t##ger_(const int*, const int*, const T*, const T*, const int*, const T*, const int*, T*,  \
               const int*);                                                                       \
  T t##dot_(const int*, const T*, const int*, const T*, const int*);                              \
  T t##nrm2_(const int*, const T*, const int*);                                                   \
  T t##asum_(const int*, const T*, const int*);                                                   \
  int i##t##amax_(const int*, const T*, const int*);                                              \
  void t##axpy_(const int*, const T*, const T*, const int*, T*, const int*);                      \
  void t##scal_(const int*, const T*, T*, const int*);                                            \
  void t##copy_(const int*, const T*, const int*, T*, const int*);                                \
  void t##swap_(const int*, T*, const int*, T*, const int*);
CUCPU_BLAS_OF(float, s)
CUCPU_BLAS_OF(double, d)
#undef CUCPU_BLAS_OF
}

namespace cucpu::checked_memory {
void define(const void* begin, std::size_t bytes);
}

namespace cucpu::blas {

// The functions of a type.
template <class T>
struct Of;
#define CUCPU_BLAS_OF(T, t)                   \
  template <>                                 \
  struct Of<T> {                              \
    static constexpr auto gemm = t##gemm_;    \
    static constexpr auto gemv = t##gemv_;    \
    static constexpr auto ger = t##ger_;      \
    static constexpr auto dot = t##dot_;      \
    static constexpr auto nrm2 = t##nrm2_;    \
    static constexpr auto asum = t##asum_;    \
    static constexpr auto amax = i##t##amax_; \
    static constexpr auto axpy = t##axpy_;    \
    static constexpr auto scal = t##scal_;    \
    static constexpr auto copy = t##copy_;    \
    static constexpr auto swap = t##swap_;    \
  };
CUCPU_BLAS_OF(float, s)
CUCPU_BLAS_OF(double, d)
#undef CUCPU_BLAS_OF

template <class T>
void wrote_matrix(const T* a, int rows, int columns, int leading) {
  for (int j = 0; j < columns; ++j)
    checked_memory::define(a + std::ptrdiff_t{j} * leading, sizeof(T) * rows);
}
template <class T>
void wrote_vector(const T* x, int n, int step) {
  const int stride = step < 0 ? -step : step;
  for (int i = 0; i < n; ++i) checked_memory::define(x + std::ptrdiff_t{i} * stride, sizeof(T));
}

// A scalar that may lie in device memory.
template <class T>
T value_of(const T* scalar) {
  T value;
  cudaMemcpy(&value, scalar, sizeof(T), cudaMemcpyDefault);
  return value;
}

// y = alpha x + beta y, where x or y counts only if its factor is not 0; x may be y.
template <class T>
void combine(int n, T alpha, const T* x, int x_step, T beta, T* y) {
  constexpr int kOne = 1;
  if (beta != T{0}) {
    Of<T>::scal(&n, &beta, y, &kOne);
    if (alpha != T{0}) Of<T>::axpy(&n, &alpha, x, &x_step, y, &kOne);
  } else if (alpha != T{0}) {
    if (x != y) Of<T>::copy(&n, x, &x_step, y, &kOne);
    Of<T>::scal(&n, &alpha, y, &kOne);
  } else {
    cudaMemset(y, 0, sizeof(T) * n);
  }
}

}  // namespace cucpu::blas
