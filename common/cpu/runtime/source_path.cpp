#include "source_path.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "cucpu/lowered.h"
#include "host/program_file.h"

namespace cucpu {
namespace {

namespace fs = std::filesystem;

// The folders in which the program's files were compiled.
struct Folders {
  std::mutex mutex;
  std::vector<std::string> all;
};
Folders& folders() {
  static Folders& f = *new Folders;  // reports at exit come after most destructors
  return f;
}

// A relative name starts from the folder in which the compiler ran. For files that were not lowered
// this is the program's folder, one above it, or the current one.
fs::path absolute(const fs::path& file) {
  std::error_code error;
  if (file.is_absolute()) return file;
  {
    Folders& known = folders();
    const std::lock_guard lock(known.mutex);
    for (const fs::path folder : known.all)
      if (known.all.size() == 1 || fs::exists(folder / file, error)) return folder / file;
  }
  fs::path folder = host::program_file();
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    if (fs::exists(folder / file, error)) return folder / file;
  }
  return fs::current_path(error) / file;
}

}  // namespace

CompiledIn::CompiledIn(const char* folder) {
  Folders& known = folders();
  const std::lock_guard lock(known.mutex);
  if (std::find(known.all.begin(), known.all.end(), folder) == known.all.end())
    known.all.emplace_back(folder);
}

std::string as_seen_from_here(const std::string& file) {
  std::error_code error;
  const std::string path = absolute(file).lexically_normal().string();
  const std::string here = fs::current_path(error).string() + "/";
  return path.starts_with(here) ? path.substr(here.size()) : path;
}

}  // namespace cucpu
