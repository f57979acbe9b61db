#pragma once

#include <optional>
#include <string>

#include "host/replacement_file.h"

namespace harness {

/// Writes results to a file as they come, with what is needed to judge them later: the device's
/// driver, toolkit and clocks (of a GPU), the date, and the commit that the programs were built
/// from, where that is known.
///
/// The file is replaced at the end, whole, if there is anything to record: neither a run that comes
/// to nothing nor a full disk nor a signal loses what was recorded before.
class Record {
 public:
  /// Records nothing if `path` is empty. Throws `host::UsageError` if the file cannot be
  /// written, or another run is recording to it.
  Record(const std::string& path, int device);

  /// One line of `--json`. With `run` above 0, also in which of several runs it was measured.
  /// Throws `host::FileFault` if it cannot be written.
  void add(const std::string& line, int run = 0);

  /// Replaces the file. Throws `host::FileFault` if it cannot be.
  void finish();

 private:
  std::optional<host::ReplacementFile> file_;
  bool empty_ = true;
  std::string circumstances_;  // a JSON object
};

}  // namespace harness
