// Starting other programs: the one place that does.
#pragma once

#include <sys/types.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace host {

/// A program that cannot be started.
struct CannotStart : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file descriptor of ours, which is closed in the end and in every program that is started.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  int number() const { return number_; }  ///< -1: closed
  void close();

 private:
  int number_ = -1;
};

/// Bytes that are written to one end are read from the other. Throws `CannotStart`.
struct Pipe {
  Pipe();
  Descriptor reader, writer;
};

/// The differences between our surroundings and those of a program that is started.
struct Surroundings {
  /// Which of our descriptors becomes which of its own, in this order; it shares the others that
  /// are not closed on exec.
  std::vector<std::pair<int, int>> descriptors = {};
  /// Variables beside ours.
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool has_own_group = false;  ///< it leads a process group of its own
  bool ends_with_us = false;   ///< it is killed at once when this process ends, however it does
};

/// Starts a program, which is looked for in PATH unless its name has a slash. Signals that we
/// handle end it as they would by default. Throws `CannotStart`.
pid_t start(const std::vector<std::string>& command, const Surroundings& surroundings = {});

/// How a process ended.
struct ProcessEnd {
  int code = 0;    ///< its exit code
  int signal = 0;  ///< the signal that ended it, or 0
};

/// Waits for a process that was started.
ProcessEnd wait_for(pid_t process);
/// The same without waiting: nothing while it runs.
std::optional<ProcessEnd> end_of(pid_t process);

}  // namespace host
