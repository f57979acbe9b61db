#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/report.h"
#include "host/command_line.h"

// Shared by the programs that run other programs: the tour, the bench.

namespace harness {

/// Declares `--device N`. Only `parse_device` asks the system which values N may have.
void declare_device(host::CommandLine& line);

/// `--device N` as a number; `text` is empty where it was not given. Throws `host::UsageError`.
int parse_device(const std::string& text);

/// The device that a table's figures come from, for that `--device`: a line of at most 80 columns.
std::string device_line(const std::string& option);

/// Runs a program that prints results (`--json`), as a process of its own, and hands over each
/// result and its line. Its faults go to `complain`, each as a sentence that starts with
/// `name`.
void run_program(const std::string& name, const std::vector<std::string>& command,
                 const std::function<void(const Result&, const std::string&)>& take,
                 const std::function<void(const std::string&)>& complain);

}  // namespace harness
