#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "device/buffer.h"

namespace harness {

/// At least `bytes` of device memory, kept from launch to launch, as a program that launches often
/// would keep it. It grows when a launch needs more, which waits for the launches before. Each
/// kLaunch has its own, on the device that was current at its first call.
template <auto kLaunch>
void* kept_workspace(std::size_t bytes) {
  static std::unique_ptr<device::Buffer<std::byte>> kept;
  if (kept == nullptr || kept->size() < bytes) {
    kept.reset();
    kept = std::make_unique<device::Buffer<std::byte>>(bytes);
  }
  return kept->data();
}

/// A matrix product with a workspace that is kept. kBytes tells the bytes that a shape needs.
template <auto kBytes, auto kWithin>
void sgemm_with_workspace(const float* A, const float* B, float* C, int m, int n, int k,
                          cudaStream_t stream) {
  const std::size_t bytes = kBytes(m, n, k);
  kWithin(A, B, C, m, n, k, {kept_workspace<kWithin>(bytes), bytes}, stream);
}

}  // namespace harness
