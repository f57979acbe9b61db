#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "device/check.h"
#include "device/checkers.h"
#include "device/guards.h"

namespace device {

/// Whether buffers have red zones and are filled with poison: unless the environment has
/// `TUTORIAL_GUARDS=off`. Without them a checker sees where a buffer really ends, and which of its
/// elements were never written, and so also finds bad reads whose values are not used.
bool guards_are_on();

/// `kRedZoneBytes`, or 0 without guards.
std::size_t red_zone_bytes();

/// Device memory between two red zones. `Buffer` is its typed face.
class GuardedMemory {
 public:
  /// `offset` moves the first byte away from the allocator's alignment.
  GuardedMemory(std::size_t bytes, std::size_t offset);

  void* data() const { return base_.get() + front_; }
  std::size_t bytes() const { return bytes_; }

  /// Says which element of `element_bytes` was written where none may be; empty when none was.
  std::string red_zone_fault(std::size_t element_bytes) const;

 private:
  struct Free {
    void operator()(unsigned char* base) const { cudaFree(base); }
  };

  std::size_t bytes_;
  std::size_t front_;  // bytes before the buffer: its red zone, and what it is moved by
  std::unique_ptr<unsigned char, Free> base_;
};

/// `count` elements in device memory with a red zone before and after them. A read from a red zone
/// gives a NaN, and `red_zone_fault` finds a write to it.
template <class T>
class Buffer {
 public:
  /// `offset` elements are left unused in front, so that the base pointer is only aligned to T.
  explicit Buffer(std::size_t count, std::size_t offset = 0)
      : memory_(count * sizeof(T), offset * sizeof(T)), count_(count) {}

  T* data() const { return static_cast<T*>(memory_.data()); }
  std::size_t size() const { return count_; }

  /// Copies from the host to elements [first, first + values.size()).
  void upload(std::span<const T> values, std::size_t first = 0) {
    if (values.empty()) return;
    CUDA_CHECK(
        cudaMemcpy(data() + first, values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
  }

  /// Copies elements [first, first + values.size()) to the host.
  void download(std::span<T> values, std::size_t first = 0) const {
    if (values.empty()) return;
    const AllowUninitializedCopies allow;
    CUDA_CHECK(
        cudaMemcpy(values.data(), data() + first, values.size_bytes(), cudaMemcpyDeviceToHost));
  }

  /// Sets every byte to `kPoison`. Does nothing without guards.
  void poison(cudaStream_t stream) {
    if (count_ == 0 || !guards_are_on()) return;
    CUDA_CHECK(cudaMemsetAsync(data(), kPoison, memory_.bytes(), stream));
  }

  /// "element 16 was written, the buffer ends before element 16"; empty when the zones are intact.
  std::string red_zone_fault() const { return memory_.red_zone_fault(sizeof(T)); }

 private:
  GuardedMemory memory_;
  std::size_t count_;
};

}  // namespace device
