#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "device/event.h"

namespace device {

/// The clocks seen over some time, in MHz.
struct Clocks {
  int lowest = 0;
  int highest = 0;

  /// Both ranges in one.
  Clocks merged(const Clocks& other) const;
};

/// Milliseconds of several launches.
struct Timing {
  std::size_t repeats = 0;
  double median_ms = 0;
  double min_ms = 0;
  double max_ms = 0;
  std::optional<Clocks> clocks;  ///< of the SMs meanwhile; absent where not told
};

/// Median, least and most of the times of at least one launch.
Timing summarize(std::vector<double> times_ms);

/// Times launches on a stream with events.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {}

  /// Times what `launch` enqueues, and waits for it. The clock is read while the device works.
  void time(const std::function<void()>& launch);

  /// Forgets what was timed up to now.
  void reset();

  /// The times of all launches since the last reset; there must have been one.
  Timing timing() const;

 private:
  cudaStream_t stream_;
  Event start_, stop_;
  std::vector<double> times_ms_;
  std::optional<Clocks> clocks_;
};

}  // namespace device
