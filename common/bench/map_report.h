#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// The summary of one operator's map. Ratios are the peer's time by ours: above 1, ours is faster.
class MapReport {
 public:
  /// `lines` are JSON objects, one for each shape.
  MapReport(std::string name, const std::vector<std::string>& lines);

  /// Median, 5th percentile and worst ratio, and the worst ten shapes. `wanted`: shapes asked for.
  std::string text(std::size_t wanted) const;

  /// Shapes whose results were wrong.
  std::size_t wrong() const { return wrong_; }

 private:
  struct Ratio {
    double value;
    std::string shape;
  };

  std::string name_;
  std::size_t measured_;
  std::size_t wrong_ = 0;
  std::vector<Ratio> ratios_;  // ascending
};

}  // namespace bench
