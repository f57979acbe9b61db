// The most that a block and an SM hold, as on compute capability 9.0; and limits that programs set.
#pragma once

#include <cstddef>

#include "cucpu/execution.h"

namespace cucpu {

constexpr int kWarpLanes = warpSize;
constexpr int kMaxThreadsPerBlock = 1024;
constexpr int kMaxThreadsPerMultiprocessor = 2048;
constexpr int kMaxBlocksPerMultiprocessor = 32;
constexpr std::size_t kDefaultSharedBytes = 48 * 1024;
constexpr std::size_t kMaxSharedBytes = kMaxDynamicSharedBytes;
constexpr std::size_t kReservedSharedBytes = 1024;  // of each block, for the system
constexpr std::size_t kSharedBytesPerMultiprocessor = kMaxSharedBytes + kReservedSharedBytes;

// The size of the buffer that kernels print into (cudaDeviceSetLimit).
std::size_t printf_buffer_bytes();

}  // namespace cucpu
