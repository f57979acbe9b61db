#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/variant.h"
#include "problem/problem.h"

namespace harness {

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

/// Reads a step's command line. Throws `host::UsageError`. `actions` must outlive the result.
Options parse_options(int argc, const char* const* argv, std::string_view step,
                      const problem::Problem& problem, const std::vector<AnyVariant>& variants,
                      const std::vector<Action>& actions = {});

}  // namespace harness
