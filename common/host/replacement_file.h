#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/process.h"

namespace host {

/// A file that cannot be written; says which, and why.
struct FileFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file that takes another's place at the end, whole or not at all: a full disk, a signal or a
/// crash leaves what was there before.
///
/// Until then it is PATH.part, which is removed where this process is ended by a signal that can be
/// handled, and is taken over by the next one to write where it was killed. Two processes cannot
/// write one file at once. A path that cannot be replaced, such as /dev/stdout, is written to.
class ReplacementFile {
 public:
  /// Throws `FileFault` if the file cannot be written, or another process is writing it.
  explicit ReplacementFile(const std::filesystem::path& path);
  /// Removes what has not been put in place.
  ~ReplacementFile();
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  /// Throws `FileFault` if not all of it can be written.
  void write(std::string_view text);
  /// Replaces the file with what was written. Throws `FileFault` if that fails.
  void put_in_place();

 private:
  void open_part();
  void keep_mode() const;
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  std::string part_;  // empty: the path is written to
  Descriptor file_;
};

}  // namespace host
