#include "device/check.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace device {
namespace {

// The compiler runs in the build folder, and takes the file's name from there: ../common/x.cpp, or
// /home/me/build/../common/x.cpp where several files are compiled as one.
std::string in_the_project(std::string_view file) {
  const std::size_t up = file.rfind("../");
  return std::string(up == std::string_view::npos ? file : file.substr(up + 3));
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
