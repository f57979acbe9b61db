#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace host {

/// A command line that cannot be obeyed. `what()` is one line that names the option, the value and
/// what is allowed.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whole numbers, both ends included.
struct Range {
  std::size_t least, most;
};

/// A whole number in `range`, or a `UsageError` about `option`.
std::size_t parse_number(const std::string& option, const std::string& value, Range range);

struct DeclaredOption;

/// A program's command line. First its options are declared, in the order in which `--help` lists
/// them; then it is parsed; then they can be asked for.
class CommandLine {
 public:
  /// `run_as` is the program's name in `--help`, where that is not `name`.
  CommandLine(std::string name, std::string description, std::string run_as = {});
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  void flag(const std::string& name, const std::string& help);
  /// A whole number, of `type` ("N") in `--help`. The last one counts.
  void number(const std::string& name, Range range, const std::string& help,
              const std::string& type = "N");
  /// Any text but none at all; the last one counts. `allowed` says what it may be.
  void text(const std::string& name, const std::string& type, const std::string& allowed,
            const std::string& help);
  /// The same; may be repeated.
  void texts(const std::string& name, const std::string& type, const std::string& allowed,
             const std::string& help);
  /// One of `choices`, which are of that `kind` ("kernel"); may be repeated.
  void choice(const std::string& name, const std::string& type, const std::string& kind,
              const std::vector<std::string>& choices, const std::string& help);
  /// One to `most` words.
  void words(const std::string& name, std::size_t most, const std::string& type,
             const std::string& allowed, const std::string& help);
  /// A word that is no option. `--help` lists these in front of the options.
  void operand(const std::string& name, const std::string& help);

  /// Adds `--help` and `--version`, and reads the command line. Throws `UsageError`.
  void parse(int argc, const char* const* argv);

  /// The text to print instead of a run; empty for a run.
  std::string answer() const;

  bool given(const std::string& name) const;
  /// The values of an option or operand; for a flag, one for each time that it was given.
  const std::vector<std::string>& values(const std::string& name) const;
  /// The last of them; empty if there is none.
  std::string value(const std::string& name) const;
  /// That as a number in its range. Throws `UsageError`.
  std::optional<std::size_t> number(const std::string& name) const;

 private:
  std::string name_, description_, run_as_;
  std::string help_;  // what `--help` prints
  std::vector<DeclaredOption> options_;
};

}  // namespace host
