// Loads with a hint to the caches, and what they are on the CPU: a load. "Data Movement and
// Conversion Instructions: ld" in the PTX ISA manual describes the operand .level::prefetch_size.
#pragma once

#include <cuda_runtime.h>

// The L2 cache is to fetch the 128 bytes around the address from memory.
__device__ inline float load_l2_128b(const float* from) {
#if defined(__CUDA_ARCH__) && !defined(__CUCPU__)
  float value;
  asm volatile("ld.global.L2::128B.f32 %0, [%1];" : "=f"(value) : "l"(from));
  return value;
#else
  return *from;
#endif
}

// The same for 256 bytes.
__device__ inline float load_l2_256b(const float* from) {
#if defined(__CUDA_ARCH__) && !defined(__CUCPU__)
  float value;
  asm volatile("ld.global.L2::256B.f32 %0, [%1];" : "=f"(value) : "l"(from));
  return value;
#else
  return *from;
#endif
}
