// A barrier that is a variable in shared memory: its phase ends when as many arrivals have come as
// it expects, whoever makes them. Threads may arrive without waiting, and wait without arriving.
#pragma once

#include <cstdint>

#include "cucpu/site.h"

namespace cucpu {

// As large as on the device, and as trivial as what lies in shared memory has to be.
struct ArrivalBarrier {
  std::uint16_t expected;
  std::uint16_t pending;  // arrivals that this phase still lacks
  std::uint32_t phase;
};
constexpr std::uint16_t kMostArrivals = 0x7fff;

// Its accesses are not traced.
void begin_barrier(ArrivalBarrier& barrier, std::int64_t expected);
// The thread's asynchronous copies are done first. Returns the phase that it has arrived in.
// `drop`: later phases expect one arrival less.
std::uint32_t arrive(ArrivalBarrier& barrier, std::int64_t arrivals, bool drop, Site site);
// The same, but the thread's asynchronous copies go on.
std::uint32_t arrive_before_copies(ArrivalBarrier& barrier, std::int64_t arrivals, bool drop,
                                   Site site);
// The phase that is under way or the one before, whichever is odd, or even.
std::uint32_t phase_of_parity(const ArrivalBarrier& barrier, bool is_odd);
bool has_ended(const ArrivalBarrier& barrier, std::uint32_t phase);
void wait_for_end(const ArrivalBarrier& barrier, std::uint32_t phase, Site site);

}  // namespace cucpu
