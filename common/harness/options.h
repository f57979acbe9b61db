#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/variant.h"
#include "problem/problem.h"

namespace harness {

/// A command line that cannot be obeyed. `what()` is one line that names the option, the value and
/// what is allowed.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Something that a step can do instead of running its variants, asked for by an option of its own.
struct Action {
  std::string option;  ///< "--tune"
  std::string help;
  std::function<void()> run;  ///< on the chosen device; throws what a run may throw
};

/// A step's command line.
struct Options {
  std::string answer;                 ///< to be printed instead of a run: --help, --version, --list
  const Action* action = nullptr;     ///< to be done instead of a run
  std::vector<std::size_t> variants;  ///< indices, in the step's order
  problem::Shape shape;
  std::vector<std::string> sizes;  ///< the sizes as options: {"--rows 5", "--cols 7"}
  bool by_alias = false;           ///< a size was given by its other name
  problem::InputOptions inputs;
  std::size_t repeat = 0;
  std::size_t warmup = 0;
  bool json = false;
  bool hash = false;
  bool counts = false;    ///< on the CPU: count what kernels do, and do not time them
  bool counters = false;  ///< the same, and show a table of each launch
  bool sanitize = false;  ///< on the CPU: check what kernels do, and do not time
  std::size_t device = 0;
};

/// The column at which the explanations of `--help` start, so that they end before column 80.
inline constexpr std::size_t kHelpColumn = 18;

/// Prints `error: ` and `what` on stderr, as one line whatever is in it.
void print_error(const std::string& what);

/// How a program ends that would end with `code`: with `kWrong` and a message if its standard
/// output cannot be written, as on a full disk.
int checked_output(int code);

/// Reads a step's command line. Throws `UsageError`. `actions` must outlive the result.
Options parse_options(int argc, const char* const* argv, std::string_view step,
                      const problem::Problem& problem, const std::vector<AnyVariant>& variants,
                      const std::vector<Action>& actions = {});

/// Throws a `UsageError` if one of `flags` ("--json") was given a value ("--json=yes").
void refuse_flag_values(int argc, const char* const* argv, const std::vector<std::string>& flags);

/// A whole number from `least` to `limit`, or a `UsageError` about `option`.
std::size_t parse_number(const std::string& option, const std::string& value, std::size_t limit,
                         std::size_t least = 0);

}  // namespace harness
