#include "shortage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

namespace cucpu {
namespace {

const char* what_for_any = nullptr;
const char* advice_for_any = nullptr;

}  // namespace

std::size_t address_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::size_t>::max();
  return limit.rlim_cur;
}

// Allocates nothing.
void end_for_shortage(const char* what, const char* advice) {
  // Several threads may come here at once; the first speaks.
  static std::atomic_flag is_said;
  while (is_said.test_and_set()) pause();
  char line[400];
  std::snprintf(line, sizeof line,
                "error: no addresses left for %s: raise the limit of virtual "
                "memory (ulimit -v), or %s\n",
                what, advice);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, std::strlen(line));
  std::_Exit(2);
}

void end_for_any_shortage(const char* what, const char* advice) {
  what_for_any = what;
  advice_for_any = advice;
  std::set_new_handler([] { end_for_shortage(what_for_any, advice_for_any); });
}

}  // namespace cucpu
