#include "harness/limit.h"

namespace harness {

std::pair<int, int> reads_and_writes(problem::Limit limit) {
  switch (limit) {
    case problem::Limit::two_reads_one_write:
      return {2, 1};
    case problem::Limit::copy:
      return {1, 1};
    default:
      return {1, 0};
  }
}

device::Lines lines_before(problem::Limit limit) {
  return limit == problem::Limit::read ? device::Lines::clean : device::Lines::modified;
}

device::Roof measure_roof(problem::Limit limit) {
  if (limit == problem::Limit::ffma) return device::measure_ffma();
  return measure_traffic(limit, device::bandwidth_probe_bytes());
}

device::Roof measure_traffic(problem::Limit limit, std::size_t bytes_per_array) {
  const auto [reads, writes] = reads_and_writes(limit);
  return device::measure_bandwidth(reads, writes, bytes_per_array);
}

}  // namespace harness
