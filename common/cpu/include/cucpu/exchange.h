// The exchange of values among lanes of a warp, and the part of it that is inlined into kernels.
#pragma once

#include <cstdint>

#include "cucpu/execution.h"
#include "cucpu/fiber.h"

namespace cucpu {

// Lanes that wait for one another with one mask and one operation.
struct Exchange : WarpExchange {
  std::uint32_t mask;
  std::uint32_t arrived;  // not kept in lockstep: the lanes before the current one
  const char* what;       // of the first to arrive
  Site site;
  int readers;     // lanes that may still look at the result
  Exchange* next;  // among those that are pending, or those that are free
};

#ifdef CUCPU_TRACED
// The runtime tells those who watch the warp.
[[gnu::always_inline]] inline WarpExchange exchange(std::uint32_t mask, std::uint64_t value,
                                                    const char* what, Site site) {
  return warp_exchange(mask, value, what, site);
}
// For shuffles, which take a single value of it, by value_of().
[[gnu::always_inline]] inline const WarpExchange& exchange_for_one(std::uint32_t mask,
                                                                   std::uint64_t value,
                                                                   const char* what, Site site) {
  return warp_exchange_in_place(mask, value, what, site);
}
// The caller has just taken part in an exchange.
[[gnu::always_inline]] inline unsigned lane_of_caller() { return lane_id(); }
#else
// In lockstep, all lanes but the first of the warp, which begins the exchange, and the last, which
// completes it, only leave their value and let the next one run.
[[gnu::always_inline]] inline const WarpExchange& exchange(std::uint32_t mask, std::uint64_t value,
                                                           const char* what, Site site) {
  Turns& t = turns;
  Fiber* const me = t.current;
  if (gate_of_now() != Pace::exchanging || t.exchange->mask != mask || t.exchange->what != what ||
      me == t.last_lane) [[unlikely]] {
    const WarpExchange& all = warp_exchange(mask, value, what, site);
    t.current = me;  // no change, but the compiler does not know
    return all;
  }
  t.exchange->value[me->thread % warpSize] = value;
  me->exchange = t.exchange;
  const Fiber* const again = switch_to_next(t, me);
  threadIdx = again->index;
  return *again->exchange;  // another one, if the pace has changed meanwhile
}
[[gnu::always_inline]] inline const WarpExchange& exchange_for_one(std::uint32_t mask,
                                                                   std::uint64_t value,
                                                                   const char* what, Site site) {
  return exchange(mask, value, what, site);
}
[[gnu::always_inline]] inline unsigned lane_of_caller() { return turns.current->thread % warpSize; }
#endif

}  // namespace cucpu

// Shuffles are inlined for speed, but not in programs whose accesses are watched: the branch at a
// shuffle's end makes the compiler duplicate the code that follows, and one access of a warp would
// be counted as two.
#ifdef CUCPU_TRACED
#define CUCPU_SHUFFLE [[gnu::noinline]]
#else
#define CUCPU_SHUFFLE [[gnu::always_inline]] inline
#endif
