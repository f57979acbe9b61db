#include "cucpu/device/arrival_barrier.h"

#include "cucpu/device/pending_copies.h"
#include "cucpu/device/staged_copies.h"
#include "cucpu/execution.h"
#include "driver_types.h"
#include "observer.h"
#include "preemption.h"

namespace cucpu {
namespace {

void check(bool holds, const char* message, Site site = {}) {
  if (!holds) fault(cudaErrorLaunchFailure, message, site);
}

// The name that observers know a phase by. Threads that still wait for the end of one know nothing
// of what others do who have already arrived in the next.
const void* name_of(const ArrivalBarrier& barrier, std::uint32_t phase) {
  if (phase % 2 == 0) return &barrier.expected;
  return &barrier.phase;
}

}  // namespace

void begin_barrier(ArrivalBarrier& barrier, std::int64_t expected) {
  check(expected >= 0 && expected <= kMostArrivals,
        "cuda::barrier: init() with a number of arrivals from 0 to 32767 is needed");
  const auto count = static_cast<std::uint16_t>(expected);
  barrier = {count, count, 0};
}

void begin_stages(Stage* stages, unsigned count, unsigned producers, unsigned consumers) {
  check(producers != 0 && consumers != 0,
        "cuda::make_pipeline: a pipeline in two parts needs producers and consumers");
  for (unsigned i = 0; i < count; ++i) {
    begin_barrier(stages[i].filled, producers);
    begin_barrier(stages[i].used, consumers);
  }
}

void begin_users(StageUsers& users, unsigned count) { users.count = count; }

bool leave(StageUsers& users) {
  const InRuntime in_runtime;
  return --users.count == 0;
}

std::uint32_t arrive(ArrivalBarrier& barrier, std::int64_t arrivals, bool drop, Site site) {
  const InRuntime in_runtime;
  commit_copies();
  finish_copies(0);
  return arrive_before_copies(barrier, arrivals, drop, site);
}

std::uint32_t arrive_before_copies(ArrivalBarrier& barrier, std::int64_t arrivals, bool drop,
                                   Site site) {
  const InRuntime in_runtime;
  check(barrier.expected <= kMostArrivals, "cuda::barrier: it has not been set up by init()", site);
  check(arrivals >= 1 && arrivals <= barrier.pending,
        "cuda::barrier: more arrivals than the phase expects", site);
  const std::uint32_t phase = barrier.phase;
  if (this_observer != nullptr) this_observer->release(name_of(barrier, phase));
  if (drop) --barrier.expected;
  barrier.pending = static_cast<std::uint16_t>(barrier.pending - arrivals);
  if (barrier.pending == 0) {
    barrier.pending = barrier.expected;
    ++barrier.phase;
    wake(&barrier);
  }
  return phase;
}

std::uint32_t phase_of_parity(const ArrivalBarrier& barrier, bool is_odd) {
  const InRuntime in_runtime;
  return barrier.phase - (barrier.phase % 2 != is_odd);
}

bool has_ended(const ArrivalBarrier& barrier, std::uint32_t phase) {
  const InRuntime in_runtime;
  if (barrier.phase == phase) return false;
  if (this_observer != nullptr) this_observer->acquire(name_of(barrier, phase));
  return true;
}

void wait_for_end(const ArrivalBarrier& barrier, std::uint32_t phase, Site site) {
  while (!has_ended(barrier, phase)) wait_for_wake(&barrier, "cuda::barrier::wait", site);
}

}  // namespace cucpu
