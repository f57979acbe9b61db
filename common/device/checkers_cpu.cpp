#include <cucpu/trace.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "device/checkers.h"

namespace device {
namespace {

constexpr const char* kTools = "CUCPU_TOOLS";
constexpr const char* kCheckers = "memcheck,leakcheck,racecheck,initcheck,synccheck";

}  // namespace

void start_checking(char* const* arguments) {
  if (cucpu::trace::is_checking()) return;
  if (cucpu::trace::is_traced())
    throw std::runtime_error("--sanitize is for the program, not for its traced twin");
  const char* const others = std::getenv(kTools);
  const std::string tools = others == nullptr ? kCheckers : std::string(others) + "," + kCheckers;
  setenv(kTools, tools.c_str(), 1);
  setenv("TUTORIAL_GUARDS", "off", 1);
  throw std::runtime_error(cucpu::trace::become_traced(arguments));
}

bool AllowUninitializedCopies::set(bool allowed) {
  return cucpu::trace::allow_uninitialized_copies(allowed);
}

std::size_t found_errors() { return cucpu::trace::found_errors(); }

}  // namespace device
