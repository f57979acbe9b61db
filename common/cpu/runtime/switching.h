// What the two paces share.
#pragma once

#include "lanes.h"
#include "worker.h"

namespace cucpu {

constexpr std::uint32_t lanes_below(unsigned lane) {
  return lane >= warpSize ? ~std::uint32_t{0} : bit_of(lane) - 1;
}

inline void set_pace(Pace pace) { turns.pace = turns.gate = pace; }

[[gnu::always_inline]] inline void Worker::switch_from(Fiber& me, const Context& to) {
  in_runtime_ = false;
  if (&to != &me.context) switch_context(me.context, to);
}

[[gnu::always_inline]] inline void Worker::switch_to(Fiber* fiber) {
  Fiber* const me = turns.current;
  turns.current = fiber;
  switch_from(*me, fiber->context);
  if (turns.pace != Pace::plain) threadIdx = me->index;
}

}  // namespace cucpu
