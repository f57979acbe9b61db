// Finds barriers of a block that some of its threads pass by: a __syncthreads() inside an `if`.
//
// A thread that returns early is not missed: a GPU waits for those that have not exited, and
// compute-sanitizer accepts it. One that comes to the end of its kernel while others of its block
// still wait has bypassed the barrier, and then CUDA promises nothing. (compute-sanitizer reports
// it where the barrier parts a warp, unless the other lanes have exited by the time that it is
// executed: that depends on how the compiler lays out the branches.)
#pragma once

#include "findings.h"
#include "observer.h"

namespace cucpu::trace {

class BarrierChecker {
 public:
  explicit BarrierChecker(FindingLog& findings) : findings_(findings) {}

  void begin_block() { first_at_end_ = kNobody; }
  // The current thread comes to a barrier of its block.
  void arrive(const Arrival& arrival) { site_ = arrival.site; }
  // The current thread has come to the end of its kernel, and not to a `return;` before that.
  void reach_end();
  // All threads of the block that have not exited have met there.
  void block_met() {
    if (first_at_end_ != kNobody) [[unlikely]]
      report();
  }

 private:
  static constexpr unsigned kNobody = ~0u;
  void report();

  FindingLog& findings_;
  Site site_{};
  unsigned first_at_end_ = kNobody;  // the first in the order of threads, whatever the schedule
};

}  // namespace cucpu::trace
