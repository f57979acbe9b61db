#pragma once

#include <string_view>
#include <vector>

#include "harness/options.h"
#include "harness/variant.h"

namespace harness {

/// Runs a step's variants as the command line says: makes the inputs, launches, checks every
/// result, times, reports; or does the one of `actions` that is asked for. Returns the exit code,
/// one of those in host/program_end.h.
int run_step(int argc, char** argv, std::string_view step, const problem::Problem& problem,
             const std::vector<AnyVariant>& variants, const std::vector<Action>& actions);

/// The whole `main` of a step.
template <class Problem>
int run_step(int argc, char** argv, std::string_view step,
             const std::vector<Variant<Problem>>& variants) {
  return run_step(argc, argv, step, Problem::problem(), erase_types<Problem>(variants), {});
}

/// The same for the kernels of the manifest.
template <class Problem>
int run_step(int argc, char** argv, const Step<Problem>& step,
             const std::vector<Action>& actions = {}) {
  return run_step(argc, argv, step.name, Problem::problem(), erase_types<Problem>(step.variants),
                  actions);
}

}  // namespace harness
