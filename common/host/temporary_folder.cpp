#include "host/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRandomLetters = 6;

// A process that was killed could not remove its folder, but has no lock on it any more. One that
// has only just made its folder may not have locked it yet.
bool is_left(const fs::path& folder) {
  constexpr std::chrono::minutes kMadeAndLocked{1};
  std::error_code error;
  const auto changed = fs::last_write_time(folder, error);
  if (error || fs::file_time_type::clock::now() - changed < kMadeAndLocked) return false;
  const int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0) return false;
  const bool is_free = flock(lock, LOCK_EX | LOCK_NB) == 0;
  close(lock);
  return is_free;
}

void remove_left(const fs::path& among, const std::string& name) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(among, error)) {
    const std::string found = entry.path().filename().string();
    if (found.starts_with(name + ".") && found.size() == name.size() + 1 + kRandomLetters &&
        is_left(entry.path()))
      fs::remove_all(entry.path(), error);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& name) {
  const fs::path among = fs::temp_directory_path();
  remove_left(among, name);
  std::string pattern = (among / (name + "." + std::string(kRandomLetters, 'X'))).string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error(pattern + ": cannot be made: " + std::strerror(errno));
  path_ = pattern;
  lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  flock(lock_, LOCK_EX);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(lock_);
}

}  // namespace host
