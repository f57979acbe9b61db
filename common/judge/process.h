#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace judge {

/// Ctrl-C, or another request to end: thrown out of `run_process` once the process has ended.
struct Interrupted : std::runtime_error {
  explicit Interrupted(int by) : std::runtime_error("interrupted"), signal(by) {}
  int signal;
};

/// Makes SIGINT, SIGTERM and SIGHUP end `run_process` with `Interrupted`, and others that ask.
void obey_interruptions();
/// Throws `Interrupted` if there was one.
void check_interruption();

struct ProcessLimits {
  double seconds = 0;            ///< without a new record, and in all without any; 0: no limit
  double all_seconds = 0;        ///< from beginning to end; 0: no limit
  std::size_t memory_bytes = 0;  ///< resident at once; 0: no limit
};

/// How a process ended.
struct ProcessEnd {
  enum class Stopped { no, time, memory };
  Stopped stopped = Stopped::no;  ///< by us
  int code = 0;                   ///< exit code, where it ended by itself
  int signal = 0;                 ///< the signal that ended it, or 0
  std::string problem = {};       ///< why it could not be started; else empty
  std::string output = {};        ///< the first 256 KiB of stdout and stderr together
};

/// Runs a program in a process group of its own, and with `environment` added to ours. Calls
/// `on_record` with each line that it writes to `kRecordsDescriptor`. All that it started is ended
/// with it, and when this process ends.
ProcessEnd run_process(const std::vector<std::string>& command,
                       const std::vector<std::pair<std::string, std::string>>& environment,
                       const ProcessLimits& limits,
                       const std::function<void(const std::string&)>& on_record);

}  // namespace judge
