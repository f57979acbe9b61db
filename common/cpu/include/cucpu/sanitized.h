// AddressSanitizer and ThreadSanitizer have to be told of each switch between stacks. The build
// (meson.build) defines CUCPU_ADDRESS_SANITIZER or CUCPU_THREAD_SANITIZER where it has one of them
// watch the runtime, too: kernels and runtime have to agree on what a context is.
#pragma once

#include <cstddef>

#ifdef CUCPU_ADDRESS_SANITIZER
#define CUCPU_SANITIZED_STACKS
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

#ifdef CUCPU_THREAD_SANITIZER
#define CUCPU_SANITIZED_STACKS
#include <sanitizer/tsan_interface.h>

namespace cucpu {

struct SanitizedStack {
  void* calls = nullptr;  // as the sanitizer keeps them
};

// The stacks of one worker run one after the other, never at once: no races among them.
[[gnu::always_inline]] inline void leave_stack(SanitizedStack& from, SanitizedStack& to) {
  from.calls = __tsan_get_current_fiber();  // perhaps the host thread's own
  __tsan_switch_to_fiber(to.calls, 0);
}
[[gnu::always_inline]] inline void arrive_on_stack(SanitizedStack&) {}
inline void end_stack(SanitizedStack& stack) {
  if (stack.calls != nullptr) __tsan_destroy_fiber(stack.calls);
  stack.calls = nullptr;
}
// Nothing that ran there will go on: it did not return from its functions.
inline void begin_stack(SanitizedStack& stack, char*, std::size_t) {
  end_stack(stack);
  stack.calls = __tsan_create_fiber(0);
}

}  // namespace cucpu
#endif
