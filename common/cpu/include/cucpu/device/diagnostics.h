// How device code ends a launch. printf and assert are the host's own: in a kernel, a failed assert
// prints CUDA's message and leaves cudaErrorAssert.
#pragma once

#include "cucpu/execution.h"
#include "driver_types.h"

[[noreturn]] inline void __trap(cucpu::Site site = cucpu::Site::current()) {
  cucpu::fault(cudaErrorLaunchFailure, "__trap", site);
}

// Stops in the debugger. Without one, as here, the launch fails.
[[noreturn]] inline void __brkpt(cucpu::Site site = cucpu::Site::current()) {
  cucpu::fault(cudaErrorLaunchFailure, "__brkpt", site);
}

// Raises one of 16 counters of NVIDIA's profilers; there are none here.
inline void __prof_trigger(int /*counter*/) {}

// Tells the optimizer what the program knows.
#ifndef __clang__
[[gnu::always_inline]] inline void __builtin_assume(bool holds) {
  if (!holds) __builtin_unreachable();
}
#endif
[[gnu::always_inline]] inline void __assume(bool holds) {
  if (!holds) __builtin_unreachable();
}
