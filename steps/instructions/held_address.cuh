// A shared-memory address that is held in a register, where ptxas would rather work it out again in
// every turn of a loop: PTX ISA, "Data Movement and Conversion Instructions: cvta".
#pragma once

#include <cuda_runtime.h>

// The same pointer to shared memory.
template <class T>
__device__ T* held_address(T* p) {
#if defined(__CUDA_ARCH__) && !defined(__CUCPU__)
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(p));
  asm volatile("" : "+r"(address));
  return static_cast<T*>(__cvta_shared_to_generic(address));
#else
  return p;
#endif
}
