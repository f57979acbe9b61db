// AddressSanitizer has to be told of each switch between stacks. The build (meson.build) defines
// CUCPU_ADDRESS_SANITIZER where it has the sanitizer watch the runtime, too: kernels and runtime
// have to agree on what a context is.
#pragma once

#include <cstddef>

#ifdef CUCPU_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

namespace cucpu {

struct SanitizedStack {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  void* fake = nullptr;  // the sanitizer's own, of what may be used after a return
};

inline thread_local SanitizedStack* left_stack = nullptr;

[[gnu::always_inline]] inline void leave_stack(SanitizedStack& from, SanitizedStack& to) {
  left_stack = &from;
  __sanitizer_start_switch_fiber(&from.fake, to.bottom, to.bytes);
}
// The first thing on a stack, after each switch to it.
[[gnu::always_inline]] inline void arrive_on_stack(SanitizedStack& me) {
  // The sanitizer knows where the stack is that was left, which may be the host thread's own.
  __sanitizer_finish_switch_fiber(me.fake, &left_stack->bottom, &left_stack->bytes);
}
// Nothing that ran there will go on: it did not return from its functions, whose variables have
// left marks.
inline void begin_stack(SanitizedStack& stack, char* top, std::size_t bytes) {
  stack = {top - bytes, bytes, nullptr};
  __asan_unpoison_memory_region(stack.bottom, bytes);
}
inline void end_stack(SanitizedStack& stack) {
  __asan_unpoison_memory_region(stack.bottom, stack.bytes);
}

}  // namespace cucpu
#endif
