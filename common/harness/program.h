#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/report.h"

// Shared by the programs that run other programs: the tour, the bench.

namespace harness {

/// A command line of flags and texts. Complaints name the option, the value and what is allowed.
class Arguments {
 public:
  Arguments(const std::string& name, const std::string& description);

  void flag(const std::string& name, bool& value, const std::string& help);
  /// An option with a value, `type` ("FILE"), of which the last one counts. `allowed` says what the
  /// value may be.
  void text(const std::string& name, std::string& value, const std::string& type,
            const std::string& allowed, const std::string& help);
  /// An option that may be repeated.
  void texts(const std::string& name, std::vector<std::string>& values, const std::string& type,
             const std::string& allowed, const std::string& help);

  /// Reads the command line, which also has `--help` and `--version`; returns what is to be printed
  /// instead of a run, if anything. Throws `UsageError`.
  std::string parse(int argc, char** argv);

  bool given(const std::string& name) const { return app_.count(name) > 0; }

 private:
  std::string reword(const std::string& message) const;

  CLI::App app_;
  std::string name_;
  std::vector<std::string> flags_;
  std::map<std::string, std::string> allowed_;
  bool help_ = false, version_ = false;
};

/// `--device N` as a number; `text` is empty where it was not given. Throws `UsageError`.
int parse_device(const std::string& text);

/// The device that a table's figures come from, for that `--device`: a line of at most 80 columns.
std::string device_line(const std::string& option);

/// The `main` of a program: runs `body`, and makes exit codes and one-line errors of what it
/// throws.
int run_main(const std::function<int()>& body);

/// Runs a program that prints results (`--json`), as a process of its own, and hands over each
/// result and its line. Its faults go to `complain`, each as a sentence that starts with
/// `name`.
void run_program(const std::string& name, const std::vector<std::string>& command,
                 const std::function<void(const Result&, const std::string&)>& take,
                 const std::function<void(const std::string&)>& complain);

}  // namespace harness
