// Memory that a product needs beside its operands, from its caller: a program that multiplies often
// allocates it once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

// Bytes of an array in a workspace. As allocations do, it begins at a multiple of 256.
constexpr std::size_t workspace_bytes_of(std::size_t floats) {
  constexpr std::size_t kAlignment = 256;
  return (floats * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
}

// Takes arrays from a workspace, one behind the other.
class WorkspaceCutter {
 public:
  explicit WorkspaceCutter(void* data) : next_(static_cast<std::byte*>(data)) {}

  float* take(std::size_t floats) {
    auto* const array = reinterpret_cast<float*>(next_);
    next_ += workspace_bytes_of(floats);
    return array;
  }

 private:
  std::byte* next_;
};
