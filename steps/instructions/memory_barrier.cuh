// Barriers in shared memory that count arrivals and bytes: PTX ISA, "Parallel Synchronization and
// Communication Instructions: mbarrier". From sm_90 on; elsewhere kHasMemoryBarrier is false, and
// these functions do nothing.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(__CUCPU__)
constexpr bool kHasMemoryBarrier = true;

// A shared-memory address as these instructions take it.
__device__ inline unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// A phase of the barrier ends after so many arrivals, once all expected bytes are there.
__device__ inline void memory_barrier_init(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}

// Arrives.
__device__ inline void memory_barrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

// Arrives, and lets the phase wait for so many bytes.
__device__ inline void memory_barrier_arrive_expect(std::uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

// Waits a while for the phase with this parity, 0 for the first; whether it has ended.
__device__ inline bool memory_barrier_try_wait(std::uint64_t* barrier, unsigned parity) {
  unsigned ended = 0;
  asm volatile(
      "{\n"
      " .reg .pred p;\n"
      " mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
      " selp.u32 %0, 1, 0, p;\n"
      " }"
      : "=r"(ended)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return ended != 0;
}
#else
constexpr bool kHasMemoryBarrier = false;

__device__ inline void memory_barrier_init(std::uint64_t*, unsigned) {}
__device__ inline void memory_barrier_arrive(std::uint64_t*) {}
__device__ inline void memory_barrier_arrive_expect(std::uint64_t*, unsigned) {}
__device__ inline bool memory_barrier_try_wait(std::uint64_t*, unsigned) { return true; }
#endif

// Waits for the end of the phase with this parity.
__device__ inline void memory_barrier_wait(std::uint64_t* barrier, unsigned parity) {
  while (!memory_barrier_try_wait(barrier, parity)) {
  }
}
