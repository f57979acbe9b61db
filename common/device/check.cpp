#include "device/check.h"

#include <string>

namespace device {
namespace {

std::string describe(cudaError_t code, const char* call, const char* file, int line) {
  return std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
         cudaGetErrorName(code) + " (" + cudaGetErrorString(code) + ")";
}

}  // namespace

Error::Error(cudaError_t code, const char* call, const char* file, int line)
    : std::runtime_error(describe(code, call, file, line)), code_(code) {}

void check(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // reported here, so the next call must not report it again
  throw Error(code, call, file, line);
}

}  // namespace device
