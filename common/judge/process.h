#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/process.h"

namespace judge {

/// Ctrl-C, or another request to end: thrown out of what waits for a process, which is ended then.
struct Interrupted : std::runtime_error {
  explicit Interrupted(int by) : std::runtime_error("interrupted"), signal(by) {}
  int signal;
};

/// Makes SIGINT, SIGTERM and SIGHUP end what waits here with `Interrupted`.
void obey_interruptions();
/// Throws `Interrupted` if there was one.
void check_interruption();

/// How a process ended.
struct ProcessEnd {
  enum class Stopped { no, time, memory };
  Stopped stopped = Stopped::no;  ///< by us
  int code = 0;                   ///< exit code, where it ended by itself
  int signal = 0;                 ///< the signal that ended it, or 0
  std::string output = {};        ///< the first 256 KiB of stdout and stderr together

  bool is_success() const { return stopped == Stopped::no && code == 0 && signal == 0; }
};

/// A program that runs beside us, in a process group of its own. With it ends all that it started,
/// in whatever group or session that is; and all of it ends when this process does.
class Child {
 public:
  /// Memory counts with that of all that it started; 0 bytes: no limit. Its output to
  /// `lines`, if there is that, comes line by line. Throws `host::CannotStart`.
  Child(const std::vector<std::string>& command, host::Surroundings surroundings,
        std::size_t memory_bytes, host::Descriptor lines = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  enum class Event { line, ended, late, too_large };
  /// Waits `seconds` at most (0: for ever) for the next line. After `late` and `too_large` it has
  /// been stopped.
  Event wait_for_line(double seconds, std::string& line);

  /// Waits `seconds` at most (0: for ever) for its end.
  const ProcessEnd& wait_for_end(double seconds);
  /// Ends it now.
  const ProcessEnd& stop();

 private:
  Event wait(double seconds, std::string* line);
  bool read_some(int wait_ms);
  bool take_line(std::string& line);
  void stop_for(ProcessEnd::Stopped reason, int signal);
  void collect(const host::ProcessEnd& end);

  pid_t process_ = -1;
  std::size_t memory_bytes_;
  host::Descriptor output_, lines_;
  std::string partial_;  // lines that have not been taken
  bool has_ended_ = false;
  ProcessEnd end_;
};

struct ProcessLimits {
  double seconds = 0;            ///< 0: no limit
  std::size_t memory_bytes = 0;  ///< of it and of all that it started; 0: no limit
};

/// Runs a program to its end. Throws `host::CannotStart`.
ProcessEnd run_process(const std::vector<std::string>& command, const ProcessLimits& limits);

}  // namespace judge
