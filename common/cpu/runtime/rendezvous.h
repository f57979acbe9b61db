// At a rendezvous, lanes of a warp wait for one another at the free pace: shuffles, votes, matches,
// reductions, __syncwarp().
//
// Its mask and its operation identify a rendezvous. A warp may have any number pending, whether
// their masks are disjoint, nested or overlap in another way. A lane waits in one of them, and each
// is complete as soon as all lanes of its mask wait in it, except those that do not exist or have
// exited. This is how sm_70 and later work.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "cucpu/exchange.h"

namespace cucpu {

// The operation of a function, called with a mask or for a group: "sync", "shfl_xor", ...
std::string_view operation(std::string_view what);
inline bool is_same_operation(const char* a, const char* b) {
  return a == b || operation(a) == operation(b);
}

// The pending ones of the block that a worker runs.
class Rendezvous {
 public:
  void begin_block(unsigned warps);
  // The lane waits, in a rendezvous that is pending or a new one.
  Exchange& arrive(unsigned warp, unsigned lane, std::uint32_t mask, std::uint64_t value,
                   const char* what, Site site);
  // Continues a rendezvous that began elsewhere.
  Exchange& take_over(unsigned warp, const Exchange& begun);
  // Calls complete(exchange) for each one at which all live lanes of its mask have arrived.
  template <class Complete>
  void for_each_complete(unsigned warp, std::uint32_t live, Complete complete) {
    for (Exchange* e = pending_[warp]; e != nullptr;) {
      Exchange& exchange = *e;
      e = e->next;
      if (exchange.arrived == (exchange.mask & live)) complete(exchange);
    }
  }
  // All its lanes are there: it is no longer pending, and they may read it.
  void complete(unsigned warp, Exchange& exchange);
  // The thread has read its last exchange.
  void leave(Fiber& fiber);
  // Forgets everything, even if lanes wait.
  void clear();

  bool is_anyone_waiting(unsigned warp) const { return pending_[warp] != nullptr; }
  // The one that the lane waits in, or null.
  const Exchange* of(unsigned warp, unsigned lane) const;

 private:
  static constexpr unsigned kMostWarps = 32;

  Exchange& make(unsigned warp);

  std::array<Exchange*, kMostWarps> pending_{};
  std::vector<std::unique_ptr<Exchange>> all_;
  Exchange* free_ = nullptr;
};

}  // namespace cucpu
