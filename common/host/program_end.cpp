#include "host/program_end.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "host/command_line.h"

namespace host {

void print_error(const std::string& what) {
  std::string line = what;
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' '; }, '?');
  std::fprintf(stderr, "error: %s\n", line.c_str());
}

int checked_output(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  // The reason for an earlier loss is gone.
  const char* const reason = errno != 0 ? std::strerror(errno) : "some of it was lost";
  print_error(std::string("the output cannot be written: ") + reason);
  return code == kAllRight ? kWrong : code;
}

int run_main(const std::function<int()>& body) {
  try {
    return checked_output(body());
  } catch (const UsageError& error) {
    print_error(error.what());
    return kBadUsage;
  } catch (const std::exception& error) {
    print_error(error.what());
    return kWrong;
  }
}

}  // namespace host
