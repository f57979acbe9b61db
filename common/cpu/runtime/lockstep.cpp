// Threads that come to the same waiting places in the same order go round.
#include "switching.h"

namespace cucpu {

// All live threads are where a round can begin: at their start, or released from a barrier.
void Worker::begin_lockstep() {
  set_pace(Pace::lockstep);
  const bool all = alive_ == thread_count_;
  if (all && round_is_full_) return;
  Fiber* first = nullptr;
  Fiber* last = nullptr;
  for (unsigned w = 0; w < warp_count_; ++w) {
    for (std::uint32_t lanes = warps_[w].live; lanes != 0; lanes &= lanes - 1) {
      Fiber* const fiber = fiber_of_[w * warpSize + lowest_lane(lanes)];
      (first == nullptr ? first : last->next) = fiber;
      last = fiber;
    }
  }
  last->next = first;
  turns.first = first;
  turns.last = last;
  round_is_full_ = all;
}

// All live lanes of the warp take part, and none has gone past this place to wait elsewhere.
bool Worker::can_exchange_in_lockstep(std::uint32_t mask, const char* what, unsigned warp,
                                      unsigned lane) const {
  if (turns.pace == Pace::exchanging)
    return shared_[under_way_].mask == mask && is_same_operation(shared_[under_way_].what, what);
  const std::uint32_t live = warps_[warp].live;
  return turns.pace == Pace::lockstep && (live & ~mask) == 0 && lane == lowest_lane(live);
}

Fiber* Worker::arrive_in_lockstep(std::uint32_t mask, std::uint64_t value, const char* what,
                                  Site site) {
  Fiber* const me = turns.current;
  const unsigned warp = me->thread / warpSize;
  const unsigned lane = me->thread % warpSize;
  Exchange& exchange = shared_[under_way_];
  if (turns.pace == Pace::lockstep) {
    set_pace(Pace::exchanging);
    turns.exchange = &exchange;
    turns.last_lane = fiber_of_[warp * warpSize + highest_lane(warps_[warp].live)];
    exchange.mask = mask;
    exchange.what = what;
    exchange.site = site;
  }
  exchange.value[lane] = value;
  me->exchange = &exchange;
  return me == turns.last_lane ? complete_in_lockstep(exchange) : me->next;
}

// All lanes are there. Returns the one to go on with.
Fiber* Worker::complete_in_lockstep(Exchange& exchange) {
  const unsigned warp = turns.current->thread / warpSize;
  // The next exchange uses the other slot: by the time it is over, all have looked at this one.
  exchange.lanes = warps_[warp].live;
  under_way_ = 1 - under_way_;
  set_pace(Pace::lockstep);
  if (this_observer != nullptr) this_observer->lanes_met(warp, exchange.mask, exchange.what);
  return fiber_of_[warp * warpSize + lowest_lane(exchange.lanes)];
}

}  // namespace cucpu
