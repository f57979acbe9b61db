#pragma once

#include <string>
#include <vector>

#include "harness/report.h"

namespace bench {

/// Results from a file of `--record`, a line each; those that are marked as no measurement are left
/// out. Throws `host::UsageError` about `option` if there is no such file, or it has something
/// else in it or nothing.
std::vector<harness::Result> read_results(const std::string& option, const std::string& path);

/// The sizes of a result, in the order of its step's options.
std::vector<std::size_t> shape_of(const harness::Result& result);

/// The goals of the kernels on an H200, and the speeds that they reached: a table of at most 80
/// columns.
///
/// For each goal, the variant of the step that did best; of several runs of it, the worst counts.
/// `peers` are what softmax_peers.py recorded: our softmax, with the fastest of the others as its
/// baseline, and those others, which are passed over. With them, of the runs of both processes the
/// worst counts, and what was not measured beside them counts as not measured.
std::string goal_table(const std::vector<harness::Result>& results,
                       const std::vector<harness::Result>& peers);

}  // namespace bench
