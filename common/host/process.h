#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace host {

/// A command that cannot be started.
struct CannotStart : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// From now on Ctrl-C, and other requests to end, do not end this process: they go to the command
/// that it runs, and `interruption` tells of them.
void defer_interruptions();
/// The signal that has asked this process to end, or 0.
int interruption();

/// How a command ended.
struct CommandEnd {
  int code = 0;    ///< its exit code
  int signal = 0;  ///< the signal that ended it, or 0
};

/// Runs a command and waits for it. What it says on stderr goes to the file `messages`, unless that
/// is empty. Throws `CannotStart`.
CommandEnd run_command(const std::vector<std::string>& command, const std::string& messages = {});

}  // namespace host
