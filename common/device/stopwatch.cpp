#include "device/stopwatch.h"

#include <algorithm>
#include <utility>

#include "device/clock.h"

namespace device {

Clocks Clocks::merged(const Clocks& other) const {
  return {.lowest = std::min(lowest, other.lowest), .highest = std::max(highest, other.highest)};
}

Timing summarize(std::vector<double> times_ms) {
  std::sort(times_ms.begin(), times_ms.end());
  const std::size_t middle = times_ms.size() / 2;
  const bool odd = times_ms.size() % 2 == 1;
  return {
      .repeats = times_ms.size(),
      .median_ms = odd ? times_ms[middle] : (times_ms[middle - 1] + times_ms[middle]) / 2,
      .min_ms = times_ms.front(),
      .max_ms = times_ms.back(),
      .clocks = {},
  };
}

void Stopwatch::time(const std::function<void()>& launch) {
  start_.record(stream_);
  launch();
  stop_.record(stream_);
  if (const std::optional<int> mhz = multiprocessor_clock_mhz()) {
    const Clocks now = {.lowest = *mhz, .highest = *mhz};
    clocks_ = clocks_ ? clocks_->merged(now) : now;
  }
  stop_.synchronize();
  times_ms_.push_back(stop_.ms_since(start_));
}

void Stopwatch::reset() {
  times_ms_.clear();
  clocks_.reset();
}

Timing Stopwatch::timing() const {
  Timing timing = summarize(times_ms_);
  timing.clocks = clocks_;
  return timing;
}

}  // namespace device
