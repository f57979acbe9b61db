#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace harness {

/// Writes results to a file as they come, with what is needed to judge them later: the device's
/// driver, toolkit and clocks (of a GPU), the date, and the commit that the programs were built
/// from, where that is known.
///
/// They are written to PATH.part, which takes the file's place at the end, if there is anything in
/// it: what was recorded before is not lost to a run that comes to nothing.
class Record {
 public:
  /// Records nothing if `path` is empty. Throws `UsageError` if the file cannot be written.
  Record(const std::string& path, int device);
  ~Record();
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  /// One line of `--json`. With `run` above 0, also in which of several runs it was measured.
  void add(const std::string& line, int run = 0);

 private:
  std::filesystem::path path_, part_;
  std::ofstream file_;
  bool empty_ = true;
  std::string circumstances_;  // a JSON object
};

}  // namespace harness
