#pragma once

#include <map>
#include <string>
#include <string_view>

#include "harness/report.h"

namespace harness {

/// The table of a step's kernels on the CPU: what each one counts, and how that differs from the
/// kernel that it grows from. At most 80 columns wide.
class CountTable {
 public:
  /// The line of headings for this problem. `name` stands above the kernels' names.
  static std::string head(const std::string& name, std::string_view problem);
  static std::string head(const std::string& name, const Result& result);

  /// A kernel's line. It shows changes against a kernel of the same shape that had a line before.
  std::string row(const std::string& name, const Result& result);

  /// Lines below the table: what the headings mean.
  static std::string legend(std::string_view problem);
  /// A line below the table: what the changes mean.
  static std::string changes();

 private:
  std::map<std::string, Result> before_;
};

/// How `now` differs from `before`, in at most 6 characters: "1/256", "1.5x", "=", "new", "gone".
std::string change(double before, double now);

}  // namespace harness
