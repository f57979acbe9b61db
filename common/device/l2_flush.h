#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "device/buffer.h"

namespace device {

/// In which state a flush leaves the lines of the L2 cache.
enum class Lines {
  /// Full of data that memory does not have yet. A kernel that writes has to make room by writing
  /// it back, as much as it leaves behind itself: its stores cannot hide in the cache.
  modified,
  /// Full of copies of memory. For kernels that only read: they leave nothing to be written, and so
  /// should not pay for writing.
  clean,
};

/// Empties the L2 cache of the current device of what a launch left there, so that the next launch
/// is timed against memory. It overwrites, or reads, a buffer of four times the cache's size.
class L2Flush {
 public:
  explicit L2Flush(Lines lines);

  /// Enqueues the flush. Does nothing where there is no L2 cache to speak of (on the CPU).
  void operator()(cudaStream_t stream);

  /// Bytes of device memory that an `L2Flush` takes on the current device.
  static std::size_t bytes();

 private:
  Lines lines_;
  std::unique_ptr<Buffer<float4>> scratch_;
};

}  // namespace device
