// To be watched, a program starts its twin instead: PROGRAM.traced beside it, built from the same
// sources to report its kernels' accesses.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cucpu/trace.h"
#include "host/program_file.h"
#include "observer.h"
#include "settings.h"

namespace cucpu::trace {

bool is_traced() { return observers != nullptr; }

std::string become_traced(char* const* arguments) {
  const std::string twin = host::program_file().string() + ".traced";
  execv(twin.c_str(), arguments);
  return twin + ": " + std::strerror(errno);
}

namespace {

// Before main(), and after traced files have made themselves known.
[[gnu::constructor]] void obey_environment(int, char** arguments, char**) {
  if (is_traced()) return;
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const char* const asking = is_set("CUCPU_TOOLS") ? "CUCPU_TOOLS" : "CUCPU_DRAW";
  if (!is_set(asking)) {
    // At the end: a program may become its twin by itself.
    if (std::getenv("CUCPU_JSON") != nullptr)
      std::atexit([] {
        std::fprintf(stderr, "note: CUCPU_JSON=%s: nothing is written without CUCPU_TOOLS\n",
                     std::getenv("CUCPU_JSON"));
      });
    return;
  }
  settings();  // refuses tools that do not exist
  const std::string problem = become_traced(arguments);
  std::fprintf(stderr, "error: %s=%s: the traced twin of this program cannot be run: %s\n", asking,
               std::getenv(asking), problem.c_str());
  std::_Exit(2);
}

}  // namespace

}  // namespace cucpu::trace
