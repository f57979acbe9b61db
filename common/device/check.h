#pragma once

#include <cuda_runtime.h>

#include <stdexcept>

namespace device {

/// A call of the CUDA runtime that failed. `what()` names the file and line, the call, and the
/// error's name and description.
class Error : public std::runtime_error {
 public:
  Error(cudaError_t code, const char* call, const char* file, int line);

  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Throws `Error` unless `code` is `cudaSuccess`.
void check(cudaError_t code, const char* call, const char* file, int line);

}  // namespace device

/// Checks a call of the CUDA runtime; a macro because it quotes the call and its place.
#define CUDA_CHECK(call) ::device::check((call), #call, __FILE__, __LINE__)
