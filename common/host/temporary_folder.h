#pragma once

#include <filesystem>
#include <string>

namespace host {

/// A new, empty folder that is gone in the end, with all that is in it: where this process is
/// killed, with the next such folder that is made.
class TemporaryFolder {
 public:
  /// Makes it where temporary files go, under a name that begins with `name`. Throws
  /// `std::runtime_error` if that cannot be.
  explicit TemporaryFolder(const std::string& name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // of this process, as long as it lives
};

}  // namespace host
