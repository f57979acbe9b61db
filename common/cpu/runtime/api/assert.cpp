// assert() calls this function, which replaces the C library's. In a kernel it reports as CUDA does
// and ends the launch; in host code it does the same as the C library's.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cucpu/execution.h"
#include "driver_types.h"

namespace {

std::string bracketed(uint3 index) {
  return "[" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + "]";
}

}  // namespace

extern "C" [[noreturn]] void __assert_fail(const char* assertion, const char* file, unsigned line,
                                           const char* function) noexcept {
  const std::string place = std::string(file) + ":" + std::to_string(line) + ": " + function + ": ";
  const std::string failed = std::string("Assertion `") + assertion + "` failed.";
  if (!cucpu::in_kernel()) {
    std::fprintf(stderr, "%s%s\n", place.c_str(), failed.c_str());
    std::abort();
  }
  const std::string thread =
      "block: " + bracketed(blockIdx) + ", thread: " + bracketed(threadIdx) + " ";
  cucpu::fault(cudaErrorAssert, (place + thread + failed).c_str());
}
