// Reports of threads that do not meet.
#include <algorithm>
#include <string>
#include <vector>

#include "driver_types.h"
#include "grid.h"
#include "report.h"
#include "switching.h"

namespace cucpu {

void Worker::report_deadlock() const {
  {
    std::vector<Site> sites;  // that differ
    const std::string text = "Deadlock: no thread of the block can go on\n=========     at " +
                             std::string(grid_->task.name) +
                             describe_waits(/*one_runs=*/false, &sites);
    sites.resize(2);
    fail_launch(SyncFault::deadlock, cudaErrorLaunchTimeout, text, sites[0], sites[1]);
  }
  this_worker->abandon_block();
}

std::string Worker::describe_waits(bool one_runs, std::vector<Site>* sites) const {
  if (turns.pace != Pace::free) return "";
  const unsigned running = one_runs ? turns.current->thread : kMaxBlockThreads;
  std::string text;
  const auto note = [&](Site site) {
    const bool is_known =
        std::any_of(sites->begin(), sites->end(), [&](Site s) { return same_line(s, site); });
    if (!is_known) sites->push_back(site);
  };
  for (unsigned w = 0; w < warp_count_; ++w) {
    std::uint32_t left = warps_[w].live;
    while (left != 0) {
      const unsigned first = w * warpSize + lowest_lane(left);
      const std::string wait = describe_wait(first, running);
      if (sites != nullptr) note(wait_site(first));
      std::uint32_t group = 0;
      for_each_lane(left, [&](unsigned lane) {
        if (describe_wait(w * warpSize + lane, running) == wait) group |= bit_of(lane);
      });
      left &= ~group;
      text +=
          "\n=========     warp " + std::to_string(w) + ", " + describe_lanes(group) + ": " + wait;
    }
    if (this_observer == nullptr || !rendezvous_.is_anyone_waiting(w)) continue;
    if (const std::string how = this_observer->how_out_of_step(w); !how.empty())
      text += "\n=========     warp " + std::to_string(w) + ", before that: " + how;
  }
  return text;
}

Site Worker::wait_site(unsigned thread) const {
  const unsigned warp = thread / warpSize;
  const std::uint32_t lane = bit_of(thread % warpSize);
  if (const Exchange* e = rendezvous_.of(warp, thread % warpSize)) return e->site;
  return (warps_[warp].parked & lane) != 0 ? stays_[thread].site : turns.barrier_site;
}

std::string Worker::describe_wait(unsigned thread, unsigned running) const {
  const Warp& warp = warps_[thread / warpSize];
  const std::uint32_t lane = bit_of(thread % warpSize);
  if (const Exchange* const e = rendezvous_.of(thread / warpSize, thread % warpSize))
    return std::string(e->what) + " with mask " + hex(e->mask) + " waits for " +
           describe_lanes(e->mask & warp.live & ~e->arrived) + " in " + describe(e->site);
  const Stay& stay = stays_[thread];
  if ((warp.parked & lane) != 0)
    return std::string(stay.what) + " waits for arrivals in " + describe(stay.site);
  if ((warp.spinning & lane) != 0 && stay.what != nullptr)
    return std::string(stay.what) + " again and again in " + describe(stay.site);
  if (((warp.spinning | warp.ready) & lane) != 0 || thread == running)
    return "runs, in a loop that waits for what no thread writes";
  if ((warp.at_active_mask & lane) != 0)
    return "__activemask in " + describe(active_masks_[thread].place.site);
  return std::string(turns.barrier_what) + " waits for the block in " +
         describe(turns.barrier_site);
}

void Worker::report_divergence(Site site) const {
  fail_launch(SyncFault::barrier_divergence, cudaErrorLaunchFailure,
              "Barrier error detected. Divergent thread(s) in block." + describe_thread(site) +
                  "\n=========     Other threads of the block wait at " + turns.barrier_what +
                  " in " + describe(turns.barrier_site),
              site, turns.barrier_site);
  this_worker->abandon_block();
}

void Worker::report_outside_mask(const char* what, std::uint32_t mask, unsigned lane,
                                 Site site) const {
  fail_launch(SyncFault::invalid_mask, cudaErrorLaunchFailure,
              "Barrier error detected. Invalid arguments." + describe_thread(site) +
                  "\n=========     " + what + ": lane " + std::to_string(lane) +
                  " is not in its own mask " + hex(mask),
              site);
  this_worker->abandon_block();
}

}  // namespace cucpu
