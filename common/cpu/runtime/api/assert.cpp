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
  if (!cucpu::in_kernel()) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s` failed.\n", file, line, function, assertion);
    std::abort();
  }
  // The kernel's stack is left for good: the text has to lie elsewhere.
  thread_local std::string text;
  text = std::string(file) + ":" + std::to_string(line) + ": " + function +
         ": block: " + bracketed(blockIdx) + ", thread: " + bracketed(threadIdx) + " Assertion `" +
         assertion + "` failed.";
  cucpu::fault(cudaErrorAssert, text.c_str());
}
