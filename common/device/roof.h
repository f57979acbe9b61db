#pragma once

#include <cstddef>

#include "device/stopwatch.h"

namespace device {

/// The highest rates this device was seen to reach just now, by probes that do nothing else: the
/// median of at least 20 launches, the L2 cache flushed before each, of the best of several probes.
/// Meant for a GPU: on the CPU backend the probes run, but say nothing about the machine.
struct Roof {
  double work = 0;  ///< bytes or operations of a launch
  Timing timing;

  /// GB/s (10^9 bytes) or GFLOP/s.
  double rate() const;
};

/// Memory traffic of a kernel that reads `reads` arrays and writes `writes` arrays, each element
/// once. Supported mixes: 1:0 (read), 0:1 (write), 1:1 (copy), 2:1. An array has `bytes_per_array`
/// bytes, at least 16; it takes far more than the L2 cache holds to see what the memory can do.
/// Throws `std::invalid_argument`.
Roof measure_bandwidth(int reads, int writes, std::size_t bytes_per_array);

/// `bytes_per_array` that suits the current device: 4 GiB, or less where memory is short.
std::size_t bandwidth_probe_bytes();

/// fp32 multiply-adds from registers to registers (an FMA is two operations).
Roof measure_ffma();

}  // namespace device
