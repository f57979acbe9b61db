// The cuBLAS calls that programs for fp32 make most, and their double precision forms, on the
// host's BLAS: link with -lcublas. A call waits for its handle's stream, and has ended when it
// returns.
#pragma once

#define CUBLAS_V2_H_  // NVIDIA's include guards, which programs ask for
#define CUBLAS_API_H_

#include "cucpu/blas.h"
#include "cuda_runtime.h"

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
};
using cublasStatus = cublasStatus_t;
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
};

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};
using cublasHandle_t = cublasContext*;

inline const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "CUBLAS_STATUS_UNKNOWN";
}
inline const char* cublasGetStatusString(cublasStatus_t status) {
  return cublasGetStatusName(status);
}

// --- Handles ---

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  *version = 120800;
  return CUBLAS_STATUS_SUCCESS;
}

namespace cucpu::blas {
template <class T>
cublasStatus_t set(cublasHandle_t handle, T cublasContext::*setting, T value) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->*setting = value;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t get(cublasHandle_t handle, T cublasContext::*setting, T* value) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  *value = handle->*setting;
  return CUBLAS_STATUS_SUCCESS;
}
}  // namespace cucpu::blas

inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return cucpu::blas::set(handle, &cublasContext::stream, stream);
}
inline cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return cucpu::blas::get(handle, &cublasContext::stream, stream);
}
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  return cucpu::blas::set(handle, &cublasContext::pointer_mode, mode);
}
inline cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return cucpu::blas::get(handle, &cublasContext::pointer_mode, mode);
}
inline cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return cucpu::blas::set(handle, &cublasContext::math_mode, mode);
}
inline cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return cucpu::blas::get(handle, &cublasContext::math_mode, mode);
}

// --- Copies between host and device ---

inline cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* from,
                                      int from_leading, void* to, int to_leading) {
  if (rows < 0 || columns < 0 || element_bytes <= 0 || from_leading < rows || to_leading < rows)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  const std::size_t bytes = element_bytes;
  const cudaError_t error = cudaMemcpy2D(to, to_leading * bytes, from, from_leading * bytes,
                                         rows * bytes, columns, cudaMemcpyDefault);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
inline cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* from,
                                      int from_leading, void* to, int to_leading) {
  return cublasSetMatrix(rows, columns, element_bytes, from, from_leading, to, to_leading);
}
inline cublasStatus_t cublasSetVector(int n, int element_bytes, const void* from, int from_step,
                                      void* to, int to_step) {
  return cublasSetMatrix(n == 0 ? 0 : 1, n, element_bytes, from, from_step, to, to_step);
}
inline cublasStatus_t cublasGetVector(int n, int element_bytes, const void* from, int from_step,
                                      void* to, int to_step) {
  return cublasSetVector(n, element_bytes, from, from_step, to, to_step);
}

namespace cucpu::blas {

// CUBLAS_STATUS_SUCCESS where the arguments are right and all work of the stream has been done.
inline cublasStatus_t ready(cublasHandle_t handle, bool arguments_are_right) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!arguments_are_right) return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_done = cudaStreamSynchronize(handle->stream) == cudaSuccess;
  return is_done ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
inline char letter(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N ? 'N' : operation == CUBLAS_OP_T ? 'T' : 'C';
}
// A leading dimension of a matrix that has `rows`.
inline bool leads(int leading, int rows) { return leading >= (rows > 1 ? rows : 1); }
inline bool leads(int leading, cublasOperation_t operation, int rows, int columns) {
  return leads(leading, operation == CUBLAS_OP_N ? rows : columns);
}

// Column-major: C = alpha op(A) op(B) + beta C, op(A) of m x k, op(B) of k x n.
template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                    int n, int k, const T* alpha, const T* a, int lda, const T* b, int ldb,
                    const T* beta, T* c, int ldc) {
  const bool right = m >= 0 && n >= 0 && k >= 0 && leads(lda, op_a, m, k) &&
                     leads(ldb, op_b, k, n) && leads(ldc, m);
  if (const auto status = ready(handle, right); status != CUBLAS_STATUS_SUCCESS) return status;
  const char ta = letter(op_a);
  const char tb = letter(op_b);
  Of<T>::gemm(&ta, &tb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
  wrote_matrix(c, m, n, ldc);
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t gemm_strided(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                            int m, int n, int k, const T* alpha, const T* a, int lda,
                            long long stride_a, const T* b, int ldb, long long stride_b,
                            const T* beta, T* c, int ldc, long long stride_c, int count) {
  if (handle != nullptr && count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status = ready(handle, true);
  for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)
    status = gemm(handle, op_a, op_b, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb,
                  beta, c + i * stride_c, ldc);
  return status;
}
// The matrices' addresses lie in device memory.
template <class T>
cublasStatus_t gemm_batched(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                            int m, int n, int k, const T* alpha, const T* const* a, int lda,
                            const T* const* b, int ldb, const T* beta, T* const* c, int ldc,
                            int count) {
  if (handle != nullptr && count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status = ready(handle, true);
  for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)
    status = gemm(handle, op_a, op_b, m, n, k, alpha, value_of(a + i), lda, value_of(b + i), ldb,
                  beta, value_of(c + i), ldc);
  return status;
}
// C = alpha op(A) + beta op(B), of m x n; C may be A or B where that is not transposed.
template <class T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                    int n, const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb,
                    T* c, int ldc) {
  const bool right = m >= 0 && n >= 0 && leads(lda, op_a, m, n) && leads(ldb, op_b, m, n) &&
                     leads(ldc, m) && (c != a || op_a == CUBLAS_OP_N) &&
                     (c != b || op_b == CUBLAS_OP_N);
  if (const auto status = ready(handle, right); status != CUBLAS_STATUS_SUCCESS) return status;
  const T factor_a = value_of(alpha);
  const T factor_b = value_of(beta);
  for (int j = 0; j < n && m > 0; ++j) {
    const T* column_a = a + std::ptrdiff_t{j} * (op_a == CUBLAS_OP_N ? lda : 1);
    const T* column_b = b + std::ptrdiff_t{j} * (op_b == CUBLAS_OP_N ? ldb : 1);
    T* column = c + std::ptrdiff_t{j} * ldc;
    const int step_a = op_a == CUBLAS_OP_N ? 1 : lda;
    const int step_b = op_b == CUBLAS_OP_N ? 1 : ldb;
    if (c == b) {
      combine(m, factor_a, column_a, step_a, factor_b, column);
    } else {
      combine(m, factor_a, column_a, step_a, T{0}, column);
      if (factor_b != T{0}) combine(m, factor_b, column_b, step_b, T{1}, column);
    }
  }
  wrote_matrix(c, m, n, ldc);
  return CUBLAS_STATUS_SUCCESS;
}
// y = alpha op(A) x + beta y, A of m x n.
template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t op, int m, int n, const T* alpha,
                    const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  const bool right = m >= 0 && n >= 0 && leads(lda, m) && incx != 0 && incy != 0;
  if (const auto status = ready(handle, right); status != CUBLAS_STATUS_SUCCESS) return status;
  const char t = letter(op);
  Of<T>::gemv(&t, &m, &n, alpha, a, &lda, x, &incx, beta, y, &incy);
  wrote_vector(y, op == CUBLAS_OP_N ? m : n, incy);
  return CUBLAS_STATUS_SUCCESS;
}
// A += alpha x y^T.
template <class T>
cublasStatus_t ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx,
                   const T* y, int incy, T* a, int lda) {
  const bool right = m >= 0 && n >= 0 && leads(lda, m) && incx != 0 && incy != 0;
  if (const auto status = ready(handle, right); status != CUBLAS_STATUS_SUCCESS) return status;
  Of<T>::ger(&m, &n, alpha, x, &incx, y, &incy, a, &lda);
  return CUBLAS_STATUS_SUCCESS;
}
// `compute()` is the result, which may go to device memory.
template <class T, class Compute>
cublasStatus_t reduce(cublasHandle_t handle, T* result, Compute compute) {
  const auto status = ready(handle, result != nullptr);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const T value = compute();
  cudaMemcpy(result, &value, sizeof(T), cudaMemcpyDefault);
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y,
                    int incy) {
  if (const auto status = ready(handle, true); status != CUBLAS_STATUS_SUCCESS) return status;
  Of<T>::axpy(&n, alpha, x, &incx, y, &incy);
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {
  if (const auto status = ready(handle, true); status != CUBLAS_STATUS_SUCCESS) return status;
  Of<T>::scal(&n, alpha, x, &incx);
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {
  if (const auto status = ready(handle, true); status != CUBLAS_STATUS_SUCCESS) return status;
  Of<T>::copy(&n, x, &incx, y, &incy);
  wrote_vector(y, n, incy);
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {
  if (const auto status = ready(handle, true); status != CUBLAS_STATUS_SUCCESS) return status;
  Of<T>::swap(&n, x, &incx, y, &incy);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace cucpu::blas

// --- The calls, by their names: S for float, D for double ---

inline cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t op_a,
                                  cublasOperation_t op_b, int m, int n, int k, const float* alpha,
                                  const float* a, int lda, const float* b, int ldb,
                                  const float* beta, float* c, int ldc) {
  return cucpu::blas::gemm(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
inline cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                                cublasOperation_t op_b, int m, int n, int k,
                                                const float* alpha, const float* a, int lda,
                                                long long stride_a, const float* b, int ldb,
                                                long long stride_b, const float* beta, float* c,
                                                int ldc, long long stride_c, int count) {
  return cucpu::blas::gemm_strided(handle, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb,
                                   stride_b, beta, c, ldc, stride_c, count);
}
inline cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k,
                                         const float* alpha, const float* const a[], int lda,
                                         const float* const b[], int ldb, const float* beta,
                                         float* const c[], int ldc, int count) {
  return cucpu::blas::gemm_batched(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                                   count);
}
inline cublasStatus_t cublasSgeam(cublasHandle_t handle, cublasOperation_t op_a,
                                  cublasOperation_t op_b, int m, int n, const float* alpha,
                                  const float* a, int lda, const float* beta, const float* b,
                                  int ldb, float* c, int ldc) {
  return cucpu::blas::geam(handle, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
}
inline cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                                  const float* alpha, const float* a, int lda, const float* x,
                                  int incx, const float* beta, float* y, int incy) {
  return cucpu::blas::gemv(handle, op, m, n, alpha, a, lda, x, incx, beta, y, incy);
}
inline cublasStatus_t cublasSger(cublasHandle_t handle, int m, int n, const float* alpha,
                                 const float* x, int incx, const float* y, int incy, float* a,
                                 int lda) {
  return cucpu::blas::ger(handle, m, n, alpha, x, incx, y, incy, a, lda);
}
inline cublasStatus_t cublasSdot(cublasHandle_t handle, int n, const float* x, int incx,
                                 const float* y, int incy, float* result) {
  return cucpu::blas::reduce(handle, result,
                             [&] { return cucpu::blas::Of<float>::dot(&n, x, &incx, y, &incy); });
}
inline cublasStatus_t cublasSnrm2(cublasHandle_t handle, int n, const float* x, int incx,
                                  float* result) {
  return cucpu::blas::reduce(handle, result,
                             [&] { return cucpu::blas::Of<float>::nrm2(&n, x, &incx); });
}
inline cublasStatus_t cublasSasum(cublasHandle_t handle, int n, const float* x, int incx,
                                  float* result) {
  return cucpu::blas::reduce(handle, result,
                             [&] { return cucpu::blas::Of<float>::asum(&n, x, &incx); });
}
// The position of the largest magnitude, counted from 1.
inline cublasStatus_t cublasIsamax(cublasHandle_t handle, int n, const float* x, int incx,
                                   int* result) {
  return cucpu::blas::reduce(handle, result,
                             [&] { return cucpu::blas::Of<float>::amax(&n, x, &incx); });
}
inline cublasStatus_t cublasSaxpy(cublasHandle_t handle, int n, const float* alpha, const float* x,
                                  int incx, float* y, int incy) {
  return cucpu::blas::axpy(handle, n, alpha, x, incx, y, incy);
}
inline cublasStatus_t cublasSscal(cublasHandle_t handle, int n, const float* alpha, float* x,
                                  int incx) {
  return cucpu::blas::scal(handle, n, alpha, x, incx);
}
inline cublasStatus_t cublasScopy(cublasHandle_t handle, int n, const float* x, int incx, float* y,
                                  int incy) {
  return cucpu::blas::copy(handle, n, x, incx, y, incy);
}
inline cublasStatus_t cublasSswap(cublasHandle_t handle, int n, float* x, int incx, float* y,
                                  int incy) {
  return cucpu::blas::swap(handle, n, x, incx, y, incy);
}

inline cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t op_a,
                                  cublasOperation_t op_b, int m, int n, int k, const double* alpha,
                                  const double* a, int lda, const double* b, int ldb,
                                  const double* beta, double* c, int ldc) {
  return cucpu::blas::gemm(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
inline cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                                cublasOperation_t op_b, int m, int n, int k,
                                                const double* alpha, const double* a, int lda,
                                                long long stride_a, const double* b, int ldb,
                                                long long stride_b, const double* beta, double* c,
                                                int ldc, long long stride_c, int count) {
  return cucpu::blas::gemm_strided(handle, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb,
                                   stride_b, beta, c, ldc, stride_c, count);
}
inline cublasStatus_t cublasDgemmBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k,
                                         const double* alpha, const double* const a[], int lda,
                                         const double* const b[], int ldb, const double* beta,
                                         double* const c[], int ldc, int count) {
  return cucpu::blas::gemm_batched(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                                   count);
}
inline cublasStatus_t cublasDgeam(cublasHandle_t handle, cublasOperation_t op_a,
                                  cublasOperation_t op_b, int m, int n, const double* alpha,
                                  const double* a, int lda, const double* beta, const double* b,
                                  int ldb, double* c, int ldc) {
  return cucpu::blas::geam(handle, op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
}
inline cublasStatus_t cublasDgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                                  const double* alpha, const double* a, int lda, const double* x,
                                  int incx, const double* beta, double* y, int incy) {
  return cucpu::blas::gemv(handle, op, m, n, alpha, a, lda, x, incx, beta, y, incy);
}
inline cublasStatus_t cublasDger(cublasHandle_t handle, int m, int n, const double* alpha,
                                 const double* x, int incx, const double* y, int incy, double* a,
                                 int lda) {
  return cucpu::blas::ger(handle, m, n, alpha, x, incx, y, incy, a, lda);
}
inline cublasStatus_t cublasDdot(cublasHandle_t handle, int n, const double* x, int incx,
                                 const double* y, int incy, double* result) {
  return cucpu::blas::reduce(handle, result,
                             [&] { return cucpu::blas::Of<double>::dot(&n, x, &incx, y, &incy); });
}
inline cublasStatus_t cublasDnrm2(cublasHandle_t handle, int n, const double* x, int incx,
                                  double* result) {
  return cucpu::blas::reduce(handle, result,
                             [&] { return cucpu::blas::Of<double>::nrm2(&n, x, &incx); });
}
inline cublasStatus_t cublasDasum(cublasHandle_t handle, int n, const double* x, int incx,
                                  double* result) {
  return cucpu::blas::reduce(handle, result,
                             [&] { return cucpu::blas::Of<double>::asum(&n, x, &incx); });
}
// The position of the largest magnitude, counted from 1.
inline cublasStatus_t cublasIdamax(cublasHandle_t handle, int n, const double* x, int incx,
                                   int* result) {
  return cucpu::blas::reduce(handle, result,
                             [&] { return cucpu::blas::Of<double>::amax(&n, x, &incx); });
}
inline cublasStatus_t cublasDaxpy(cublasHandle_t handle, int n, const double* alpha,
                                  const double* x, int incx, double* y, int incy) {
  return cucpu::blas::axpy(handle, n, alpha, x, incx, y, incy);
}
inline cublasStatus_t cublasDscal(cublasHandle_t handle, int n, const double* alpha, double* x,
                                  int incx) {
  return cucpu::blas::scal(handle, n, alpha, x, incx);
}
inline cublasStatus_t cublasDcopy(cublasHandle_t handle, int n, const double* x, int incx,
                                  double* y, int incy) {
  return cucpu::blas::copy(handle, n, x, incx, y, incy);
}
inline cublasStatus_t cublasDswap(cublasHandle_t handle, int n, double* x, int incx, double* y,
                                  int incy) {
  return cucpu::blas::swap(handle, n, x, incx, y, incy);
}
