#pragma once

#include <fstream>
#include <string>

namespace harness {

/// Writes results to a file as they come, with what is needed to judge them later: the device's
/// driver, toolkit and clocks, the date, and the commit that the programs were built from, where
/// that is known.
class Record {
 public:
  /// Records nothing if `path` is empty. Throws `UsageError` if the file cannot be written.
  Record(const std::string& path, int device);

  /// One line of `--json`. With `run` above 0, also in which of several runs it was measured.
  void add(const std::string& line, int run = 0);

 private:
  std::ofstream file_;
  std::string circumstances_;  // a JSON object
};

}  // namespace harness
