#include "source_path.h"

#include <filesystem>

namespace cucpu {
namespace {

namespace fs = std::filesystem;

// A relative name begins in the folder in which the compiler ran: that of the program, one above
// it, or the current one.
fs::path absolute(const fs::path& file) {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error);
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    if (fs::exists(folder / file, error)) return folder / file;
  }
  return fs::current_path(error) / file;
}

}  // namespace

std::string as_seen_from_here(const std::string& file) {
  std::error_code error;
  const std::string path = absolute(file).lexically_normal().string();
  const std::string here = fs::current_path(error).string() + "/";
  return path.starts_with(here) ? path.substr(here.size()) : path;
}

}  // namespace cucpu
