#pragma once

#include <cstddef>
#include <string>

#include "device/l2_flush.h"
#include "device/stopwatch.h"
#include "device/stream.h"
#include "harness/variant.h"
#include "problem/data.h"
#include "problem/verdict.h"

namespace harness {

/// The outcome of a checked launch.
struct Checked {
  problem::Verdict verdict;
  std::string fault;  ///< what is wrong, in a sentence; empty when nothing is
};

/// Fills the output with NaN, launches, waits, and checks: errors of the launch, red zones, and the
/// whole output. Errors that the runtime reports come back as a fault too.
Checked launch_and_check(const problem::Launch& launch, problem::DeviceData& data,
                         const device::Stream& stream);

/// Times `repeats` launches (at least 1) with events, after `warmup` ones. Before each launch, and
/// outside its time, the output is filled with NaN and the L2 cache is flushed; after each the red
/// zones are checked. A profiler's range covers the timed launches, and what is done between them:
/// a call right before a launch might be in its time. Throws `std::runtime_error` if a red zone was
/// written to, and `device::Error`.
device::Timing time_launches(const problem::Launch& launch, problem::DeviceData& data,
                             const device::Stream& stream, device::L2Flush& flush,
                             std::size_t warmup, std::size_t repeats);

/// Says that `rate` is no measurement because it is above `roof`, the highest rate of the device;
/// empty while it is not, give or take the 2 % that clocks and timers vary. (The rate of a
/// probe over few bytes, `Result::roof_at_size_gb_per_s`, is no such limit: a better kernel may
/// pass it.)
std::string roof_fault(double rate, double roof);

/// Says that the clock fell meanwhile, so that figures cannot be compared; empty while it did not.
std::string clock_fault(const device::Clocks& clocks);

}  // namespace harness
