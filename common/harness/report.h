#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace harness {

/// The report of one variant's run: the fields of a line of `--json`, where report.cpp names them.
/// Values that do not apply are absent.
struct Result {
  /// A figure made of the counters; see figures.h.
  struct Figure {
    std::string name;
    std::optional<double> value;
  };

  std::string step;
  std::string variant;
  std::string backend;
  std::string device;
  std::vector<std::pair<std::string, std::size_t>> shape;
  std::string status;  ///< "pass" or "fail"
  std::optional<double> median_ms;
  std::optional<double> min_ms;
  std::optional<double> max_ms;
  std::size_t repeats = 0;
  double bytes = 0;
  std::optional<double> flops;
  std::optional<double> gb_per_s;  ///< 10^9 bytes per second; absent where arithmetic is the limit
  std::optional<double> gflop_per_s;
  std::optional<double> roof_gb_per_s;
  std::optional<double> roof_gflop_per_s;
  std::optional<double> percent_of_roof;
  /// The rate of a probe with the same traffic over as many bytes: the roof for a run of this
  /// size, but no limit.
  std::optional<double> roof_at_size_gb_per_s;
  std::optional<double> percent_of_roof_at_size;
  std::optional<std::string> baseline;
  std::optional<double> baseline_ms;  ///< median
  std::optional<double> baseline_min_ms;
  std::optional<double> baseline_max_ms;
  std::optional<double> percent_of_baseline;
  std::optional<double> max_error;  ///< of the element whose error is the largest part of its bound
  std::optional<double> error_bound;           ///< of the same element
  std::optional<int> sm_clock_mhz;             ///< the lowest one while it was timed
  std::optional<std::string> measuring_error;  ///< why the times are no measurement
  std::optional<std::string> output_hash;      ///< 16 hexadecimal digits
  std::optional<std::string> counters;         ///< a JSON object
  std::optional<std::string> grows_from;       ///< the kernel whose change it is
  std::vector<Figure> figures;
};

/// One line of JSON without the line's end, and back. `from_json` throws `std::runtime_error`.
std::string to_json(const Result& result);
Result from_json(const std::string& line);

/// Lines of the table of times on a terminal, below 80 columns wide while names keep to
/// `kNameWidth`. With `gpu` there are columns for how much of the roof and of the library's speed
/// was reached.
inline constexpr int kNameWidth = 27;
std::string table_head(const std::string& name, bool gpu);
std::string table_row(const std::string& name, const Result& result, bool gpu);

/// "n=1024", "rows=8192 cols=4096".
std::string describe_shape(const Result& result);

}  // namespace harness
