// Finds operations that the lanes of a warp must do together and do not: a shuffle, vote, match,
// reduction or __syncwarp() inside an `if`, whose mask names lanes that never call it.
//
// All lanes of the mask that have not exited must call the same function with the same mask. They
// may call it from two lines, as in both branches of an `if` (since sm_70). A lane that returns
// early is not waited for, as at a barrier of the block (barrier_checker.h): its value is
// undefined, but may go unused. A finding is a lane that comes to the end of its kernel while
// others, whose mask names it, wait. The worker finds lanes that wait forever. (compute-sanitizer
// does not check shuffles.)
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "findings.h"
#include "observer.h"
#include "rules.h"
#include "worker.h"

namespace cucpu::trace {

class WarpChecker {
 public:
  explicit WarpChecker(FindingLog& findings) : findings_(findings) {}

  void begin_block(unsigned threads);
  // The thread comes to an operation that lanes of its warp do together.
  void arrive(const Thread& thread, const Arrival& arrival) {
    calls_[thread.warp][thread.lane] = {arrival.what, arrival.site};
  }
  // The thread exits. `at_end`: at the end of its kernel, not by an earlier `return;`.
  void exit_thread(const Thread& thread, bool at_end);
  // The lanes of the mask have met, except those that have exited.
  void lanes_met(unsigned warp, std::uint32_t mask);
  // Whether there is a finding of lanes that do not meet in this warp.
  bool has_reported(unsigned warp) const { return warps_[warp].reported != 0; }
  // "lanes 0-9 at __shfl_sync in a.cu:3 met lanes 10-31 at __shfl_sync in a.cu:5"; nothing if lanes
  // of the warp have only met from one line at a time.
  std::string how_out_of_step(unsigned warp) const;

 private:
  struct Call {
    const char* what;
    Site site;
  };
  using Calls = std::array<Call, kLanes>;
  struct Warp {
    std::uint32_t exited = 0;    // or never there
    std::uint32_t at_end = 0;    // of those
    std::uint32_t mixed = 0;     // that have met others who called from another line
    std::uint32_t reported = 0;  // of whose masks there is a finding
  };

  void look_at_calls(unsigned warp, std::uint32_t lanes);
  void report_missing(unsigned warp, std::uint32_t mask, std::uint32_t lanes);
  // `lines`: what follows the place and the thread.
  template <class Lines>
  void report(unsigned warp, unsigned lane, Site place, Site other, Lines lines);
  // Those of the lanes that make this call.
  static std::uint32_t with_call(const Calls& calls, std::uint32_t lanes, const Call& call);

  FindingLog& findings_;
  std::array<Warp, kMaxBlockThreads / kLanes> warps_;
  std::array<Calls, kMaxBlockThreads / kLanes> calls_;        // the last one of each lane
  std::array<Calls, kMaxBlockThreads / kLanes> mixed_calls_;  // of lanes in `mixed`, the first time
};

}  // namespace cucpu::trace
