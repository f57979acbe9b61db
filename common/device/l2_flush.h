#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "device/buffer.h"

namespace device {

/// Empties the L2 cache of the current device of what a launch left there, so that the next launch
/// is timed against memory. It overwrites a buffer of twice the cache's size: the cache is then
/// full of modified lines, and a kernel's stores cannot hide in it either.
class L2Flush {
 public:
  L2Flush();

  /// Enqueues the overwriting. Does nothing where there is no L2 cache to speak of (on the CPU).
  void operator()(cudaStream_t stream);

  /// Bytes of device memory that an `L2Flush` takes on the current device.
  static std::size_t bytes();

 private:
  std::unique_ptr<Buffer<unsigned char>> scratch_;
};

}  // namespace device
