// The common part of the two paces.
#pragma once

#include "lanes.h"
#include "worker.h"

namespace cucpu {

constexpr std::uint32_t lanes_below(unsigned lane) {
  return lane >= warpSize ? ~std::uint32_t{0} : bit_of(lane) - 1;
}

inline void set_pace(Pace pace) { turns.pace = turns.gate = pace; }

[[gnu::always_inline]] inline void Worker::switch_from(Fiber& me, Context& to) {
  in_runtime_ = false;
  if (&to != &me.context) switch_context(me.context, to);
}

[[gnu::always_inline]] inline void Worker::switch_to(Fiber* fiber) {
  Fiber* const me = turns.current;
  turns.current = fiber;
  switch_from(*me, fiber->context);
  if (turns.pace != Pace::plain) threadIdx = me->index;
}

// The lane does what the lanes of its warp before it have done, in the exchange that is under way,
// which is what nearly all calls are about. It is in the mask: all live lanes of the warp are.
[[gnu::always_inline]] inline const WarpExchange& Worker::follow_in_lockstep(std::uint64_t value) {
  Fiber* const me = turns.current;
  Exchange& exchange = shared_[under_way_];
  exchange.value[me->thread % warpSize] = value;
  me->exchange = &exchange;
  Fiber* const next = me == turns.last_lane ? complete_in_lockstep(exchange) : me->next;
  turns.current = next;
  if (next != me) switch_context(me->context, next->context);
  threadIdx = me->index;
  return *me->exchange;  // another one, if the pace has changed meanwhile
}

}  // namespace cucpu
