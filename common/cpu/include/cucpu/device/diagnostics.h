// How device code ends a launch. printf and assert are the host's own: in a kernel, a failed assert
// prints CUDA's message and leaves cudaErrorAssert.
#pragma once

#include "cucpu/execution.h"
#include "driver_types.h"

[[noreturn]] inline void __trap(cucpu::Site site = cucpu::Site::current()) {
  cucpu::fault(cudaErrorLaunchFailure, "__trap", site);
}
