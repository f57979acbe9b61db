// Barriers of the block and of the warp, and memory fences.
#pragma once

#include "cucpu/execution.h"
#include "cucpu/fiber.h"

namespace cucpu {
// All memory accesses before it, by this CUDA thread, come before all after it, for everybody, or at
// least for the block.
void memory_fence(bool for_block_only);
}  // namespace cucpu

[[gnu::always_inline]] inline void __syncthreads(cucpu::Site site = cucpu::Site::current()) {
  cucpu::block_barrier_inlined("__syncthreads", site);
}
// How many threads' predicates are not zero; whether all are; whether any is.
inline int __syncthreads_count(int predicate, cucpu::Site site = cucpu::Site::current()) {
  return cucpu::block_barrier(predicate != 0, "__syncthreads_count", site).predicates;
}
inline int __syncthreads_and(int predicate, cucpu::Site site = cucpu::Site::current()) {
  const cucpu::BarrierCount count = cucpu::block_barrier(predicate != 0, "__syncthreads_and", site);
  return count.predicates == count.arrived;
}
inline int __syncthreads_or(int predicate, cucpu::Site site = cucpu::Site::current()) {
  return cucpu::block_barrier(predicate != 0, "__syncthreads_or", site).predicates != 0;
}

inline void __syncwarp(unsigned mask = 0xffffffffu, cucpu::Site site = cucpu::Site::current()) {
  cucpu::warp_exchange(mask, 0, "__syncwarp", site);
}

inline void __threadfence() { cucpu::memory_fence(false); }
inline void __threadfence_block() { cucpu::memory_fence(true); }
inline void __threadfence_system() { cucpu::memory_fence(false); }
