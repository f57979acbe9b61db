// Asynchronous copies to shared memory, a thread each for itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cucpu/device/pending_copies.h"
#include "cucpu/execution.h"
#include "driver_types.h"

// Copies `bytes - zero_bytes` bytes and fills up with zeros. `bytes` is 4, 8 or 16, and both
// addresses are multiples of it.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                    std::size_t zero_bytes = 0,
                                    cucpu::Site site = cucpu::Site::current()) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_bytes > bytes) {
    cucpu::fault(cudaErrorLaunchFailure,
                 "__pipeline_memcpy_async copies 4, 8 or 16 bytes, with no more zeros than that",
                 site);
  }
  if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % bytes) {
    cucpu::fault(cudaErrorMisalignedAddress,
                 "__pipeline_memcpy_async: an address is not a multiple of the size", site);
  }
  cucpu::copy_later(to, from, bytes - zero_bytes, zero_bytes);
}
// Closes a batch of copies.
inline void __pipeline_commit() { cucpu::commit_copies(); }
// Waits for all batches but the `batches` newest.
inline void __pipeline_wait_prior(std::size_t batches) { cucpu::finish_copies(batches); }
