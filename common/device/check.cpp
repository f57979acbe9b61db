#include "device/check.h"

#include <string>
#include <string_view>

namespace device {
namespace {

// The compiler runs in the build folder, and takes the file's name from there.
std::string in_the_project(std::string_view file) {
  while (file.starts_with("../")) file.remove_prefix(3);
  return std::string(file);
}

std::string describe(cudaError_t code, const char* call, const char* file, int line) {
  return in_the_project(file) + ":" + std::to_string(line) + ": " + call + ": " +
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
