#include "host/program_file.h"

#include <sys/auxv.h>

namespace host {

std::filesystem::path program_file() {
  std::error_code error;
  const std::filesystem::path link = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return link;
  // As it was started; a program seldom changes its folder before it needs this.
  const auto* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return name == nullptr ? std::filesystem::path() : std::filesystem::absolute(name, error);
}

}  // namespace host
