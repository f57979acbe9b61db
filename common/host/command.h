#pragma once

#include <string>
#include <vector>

#include "host/process.h"

namespace host {

/// From now on Ctrl-C, and other requests to end, do not end this process: they go to the command
/// that it runs, and `interruption` tells of them.
void defer_interruptions();
/// The signal that has asked this process to end, or 0.
int interruption();

/// Runs a command and waits for it. Its stderr goes to the file `messages`, unless that is empty.
/// Throws `CannotStart`.
ProcessEnd run_command(const std::vector<std::string>& command, const std::string& messages = {});

}  // namespace host
