#pragma once

#include <functional>
#include <string>
#include <vector>

namespace harness {

/// How a child process ended.
struct ChildEnd {
  int code = 0;              ///< exit code, where it ended by itself
  int signal = 0;            ///< the signal that ended it, or 0
  std::string problem = {};  ///< why it could not be started; else empty
};

/// Runs `command` (the program's path, then its arguments) and calls `on_line` with each line of
/// its standard output, without the line's end, as it comes. Its standard error is ours. The child
/// is killed at once when this process ends, whatever ends it.
ChildEnd run_child(const std::vector<std::string>& command,
                   const std::function<void(const std::string&)>& on_line);

}  // namespace harness
