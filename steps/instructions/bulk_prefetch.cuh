// Prefetches of whole stretches into the L2 cache: PTX ISA, "Data Movement and Conversion
// Instructions: cp.async.bulk.prefetch". From sm_90 on; elsewhere nothing happens.
#pragma once

#include <cuda_runtime.h>

// From global memory; the address and the bytes are multiples of 16, and bytes is not 0.
__device__ inline void bulk_prefetch([[maybe_unused]] const void* from,
                                     [[maybe_unused]] unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(__CUCPU__)
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes));
#endif
}
