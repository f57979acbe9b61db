#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report.h"
#include "problem/problem.h"

namespace harness {

/// A figure made of a kernel's counters. Each problem has two or three that tell its kernels apart.
struct FigureKind {
  std::string_view name;     ///< in `--json`: "sectors_per_request"
  std::string_view heading;  ///< of a column, at most 14 characters: "sectors/req"
  std::string_view meaning;  ///< in a few words
  bool is_count;             ///< a whole number, not a ratio
};

/// Those of a problem, in order; none for a problem that has no table of them.
std::vector<FigureKind> figure_kinds(std::string_view problem);

/// The same for the figures of a result, which need not be one of this process.
std::vector<FigureKind> figure_kinds(const Result& result);

/// The figures of a kernel from its counters, a JSON object. A ratio to nothing is absent.
std::vector<Result::Figure> figures(const problem::Problem& problem, const problem::Shape& shape,
                                    const std::string& counters);

}  // namespace harness
