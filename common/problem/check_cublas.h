#pragma once

#include <cublas_v2.h>

#include <stdexcept>
#include <string>

namespace problem {

/// Throws `std::runtime_error` if a call of cuBLAS or cublasLt has failed.
inline void check_cublas(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
}

}  // namespace problem
