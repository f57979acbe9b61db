// Copies of whole tiles by the Tensor Memory Accelerator (TMA): PTX ISA, "Data Movement and
// Conversion Instructions: Bulk copy", cp.async.bulk, and "Parallel Synchronization and
// Communication Instructions: elect.sync". From sm_90 on; elsewhere kHasBulkCopy is false, and
// these functions do nothing.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "memory_barrier.cuh"

constexpr bool kHasBulkCopy = kHasMemoryBarrier;  // the same GPUs have both

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(__CUCPU__)
// Makes what this thread wrote to shared memory, such as a new barrier, visible to the TMA.
__device__ inline void fence_shared_for_bulk_copy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Global to shared memory, both on 16 bytes; counts the bytes in the barrier as they arrive.
__device__ inline void bulk_copy(void* to, const void* from, unsigned bytes,
                                 std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

// True in one lane of the warp, all of whose lanes have to come. ptxas then knows that a single
// lane runs what follows, and keeps its addresses in uniform registers, as bulk copies need them.
__device__ inline bool elect_one() {
  unsigned elected = 0;
  asm volatile(
      "{\n"
      " .reg .pred p;\n"
      " elect.sync _|p, 0xffffffff;\n"
      " selp.u32 %0, 1, 0, p;\n"
      " }"
      : "=r"(elected));
  return elected != 0;
}
#else
__device__ inline void fence_shared_for_bulk_copy() {}
__device__ inline void bulk_copy(void*, const void*, unsigned, std::uint64_t*) {}
__device__ inline bool elect_one() { return true; }
#endif
