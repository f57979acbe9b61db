#pragma once

#include <cstddef>
#include <string>

namespace device {

/// Devices that this process can use; 0 where there is no device or no driver.
int count();

/// The line that tells a user why `count` is 0.
std::string why_no_device();

/// Facts about a device for reports. Clocks are the highest ones, in MHz; 0 where not told.
struct Info {
  std::string name;
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;
  int clock_mhz = 0;
  int memory_clock_mhz = 0;
};
Info info(int device);

/// Threads that the current device holds at once, on all its SMs.
std::size_t resident_threads();

/// Bytes of device memory that are free now on the current device.
std::size_t free_memory();

/// "13.0": the CUDA version the driver supports, and the one of the runtime linked in.
std::string driver_version();
std::string toolkit_version();

}  // namespace device
