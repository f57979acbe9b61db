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
  const char* const tools = std::getenv("CUCPU_TOOLS");
  if (is_traced()) return;
  if (tools == nullptr || *tools == '\0') {
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
  std::fprintf(stderr, "error: CUCPU_TOOLS=%s: the traced twin of this program cannot be run: %s\n",
               tools, problem.c_str());
  std::_Exit(2);
}

}  // namespace

}  // namespace cucpu::trace
