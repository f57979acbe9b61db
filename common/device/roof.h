#pragma once

#include <cstddef>

namespace device {

/// The highest rates this device was seen to reach just now, by probes that do nothing else.
/// Meant for a GPU: on the CPU backend the probes run, but say nothing about the machine.

/// Memory traffic in GB/s (10^9 bytes) of a kernel that reads `reads` arrays and writes `writes`
/// arrays, each element once. Supported mixes: 1:0 (read), 0:1 (write), 1:1 (copy), 2:1.
/// `bytes_per_array` should be far more than the L2 cache holds. Throws `std::invalid_argument`.
double measure_bandwidth(int reads, int writes, std::size_t bytes_per_array);

/// `bytes_per_array` that suits the current device: 4 GiB, or less where memory is short.
std::size_t bandwidth_probe_bytes();

/// fp32 multiply-adds from registers to registers, in GFLOP/s (an FMA is two operations).
double measure_ffma();

}  // namespace device
