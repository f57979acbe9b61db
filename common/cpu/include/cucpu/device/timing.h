// Clocks of the device.
#pragma once

#include "cucpu/execution.h"

// Ticks of the processor's time stamp counter; only differences mean something.
inline long long clock64() {
#if defined(__x86_64__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
  long long ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
#error "clock64 is known for x86-64 and AArch64 only"
#endif
}

// clock() is the C library's for the host, and in kernels the same as clock64(): libcucpu has a
// clock() of its own (runtime/clock.cpp).

// Lets others run first, however long they take.
inline void __nanosleep(unsigned /*nanoseconds*/, cucpu::Site site = cucpu::Site::current()) {
  cucpu::yield("__nanosleep", site);
}
