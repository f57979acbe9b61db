// The free pace: any thread that can run may run, because the threads do not all behave alike.
//
// A lane that can run is `ready`. A lane that has lost its turn because it spins, or has given it
// up in __nanosleep(), is `spinning`: it runs only when no lane is ready, so that the threads it
// waits for come first. If all lanes that can run spin, and none of them has got on since they last
// ran, the block waits for something outside.
#include <time.h>

#include <algorithm>
#include <bit>

#include "driver_types.h"
#include "grid.h"
#include "report.h"
#include "switching.h"
#include "worker_pool.h"

namespace cucpu {

// In lockstep, who comes before the current thread waits, and who comes after it can run.
void Worker::begin_free_pace() {
  const unsigned thread = turns.current->thread;
  const unsigned warp = thread / warpSize;
  ready_warps_ = 0;
  for (unsigned w = 0; w < warp_count_; ++w) warps_[w].ready = 0;
  make_ready(warp, warps_[warp].live & ~lanes_below(thread % warpSize + 1));
  for (unsigned w = warp + 1; w < warp_count_; ++w) make_ready(w, warps_[w].live);
  if (turns.pace == Pace::exchanging) {
    shared_[under_way_].arrived = warps_[warp].live & lanes_below(thread % warpSize);
    Exchange& own = rendezvous_.take_over(warp, shared_[under_way_]);
    for (std::uint32_t lanes = own.arrived; lanes != 0; lanes &= lanes - 1)
      fiber_of_[warp * warpSize + lowest_lane(lanes)]->exchange = &own;
  }
  arrived_ = 0;
  for (unsigned w = 0; w < warp; ++w) arrived_ += std::popcount(warps_[w].live);
  if (turns.pace == Pace::lockstep)
    arrived_ += std::popcount(warps_[warp].live & lanes_below(thread % warpSize));
  current_warp_ = warp;
  set_pace(Pace::free);
}

unsigned Worker::first_in_order(std::uint32_t set) {
  if (order_ == ThreadOrder::ascending) return lowest_lane(set);
  if (order_ == ThreadOrder::random)
    for (std::uint64_t skip = random_() % std::popcount(set); skip > 0; --skip) set &= set - 1;
  return order_ == ThreadOrder::random ? lowest_lane(set) : highest_lane(set);
}

Fiber* Worker::next_at_free_pace() {
  while (ready_warps_ == 0)
    if (!release_active_masks() && !let_spinning_run()) report_deadlock();
  if ((ready_warps_ & bit_of(current_warp_)) == 0 || order_ == ThreadOrder::random)
    current_warp_ = first_in_order(ready_warps_);
  Warp& warp = warps_[current_warp_];
  const unsigned lane = first_in_order(warp.ready);
  warp.ready &= ~bit_of(lane);
  if (warp.ready == 0) ready_warps_ &= ~bit_of(current_warp_);
  return fiber_of_[current_warp_ * warpSize + lane];
}

void Worker::make_ready(unsigned warp, std::uint32_t lanes) {
  if (lanes == 0) return;
  warps_[warp].ready |= lanes;
  ready_warps_ |= bit_of(warp);
}

void Worker::make_all_ready() {
  set_pace(Pace::free);
  ready_warps_ = 0;  // a block that failed may have left some, and have had more warps
  for (unsigned w = 0; w < warp_count_; ++w) make_ready(w, warps_[w].live);
  current_warp_ = first_in_order(ready_warps_);
}

// Exchanges that only waited for this thread wait no longer.
void Worker::on_exit_at_free_pace(unsigned thread) {
  leave_exchange(*fiber_of_[thread]);
  const unsigned w = thread / warpSize;
  Warp& warp = warps_[w];
  warp.live &= ~bit_of(thread % warpSize);
  --alive_;
  gained_ = true;
  rendezvous_.for_each_complete(w, warp.live,
                                [&](Exchange& exchange) { complete_exchange(w, exchange); });
}

// --- lanes of a warp ---------------------------------------------------------------------------

Fiber* Worker::arrive_at_free_pace(std::uint32_t mask, std::uint64_t value, const char* what,
                                   Site site) {
  Fiber* const me = turns.current;
  const unsigned warp = me->thread / warpSize;
  leave_exchange(*me);
  Exchange& exchange = rendezvous_.arrive(warp, me->thread % warpSize, mask, value, what, site);
  me->exchange = &exchange;
  gained_ = true;
  if (exchange.arrived == (mask & warps_[warp].live)) complete_exchange(warp, exchange);
  return next_at_free_pace();
}

void Worker::complete_exchange(unsigned warp, Exchange& exchange) {
  rendezvous_.complete(warp, exchange);
  make_ready(warp, exchange.lanes);
  block_watch_.lanes_met(warp, exchange.lanes);
  if (this_observer != nullptr) this_observer->lanes_met(warp, exchange.mask, exchange.what);
}

// Those of lockstep are this worker's own.
void Worker::leave_exchange(Fiber& fiber) {
  if (fiber.exchange == &shared_[0] || fiber.exchange == &shared_[1])
    fiber.exchange = nullptr;
  else
    rendezvous_.leave(fiber);
}

std::uint32_t Worker::active_mask(const CodePlace& place) {
  enter_runtime();
  if (this_observer != nullptr)
    this_observer->arrive({false, bit_of(lane_id()), "__activemask", place.site});
  begin_waiting();
  if (turns.pace != Pace::free) begin_free_pace();
  Fiber* const me = turns.current;
  warps_[me->thread / warpSize].at_active_mask |= bit_of(me->thread % warpSize);
  active_masks_[me->thread].place = place;
  active_masks_[me->thread].place.depth = fibers_->depth(*me, place.depth);
  gained_ = true;
  switch_to(next_at_free_pace());
  return active_masks_[me->thread].lanes;
}

// Nothing else can run: the lanes of a warp that ask at the same place are each other's answer.
bool Worker::release_active_masks() {
  bool released = false;
  for (unsigned w = 0; w < warp_count_; ++w) {
    Warp& warp = warps_[w];
    if (warp.at_active_mask == 0) continue;
    ActiveMask* const lanes = &active_masks_[w * warpSize];
    const CodePlace& place = lanes[lowest_lane(warp.at_active_mask)].place;
    std::uint32_t group = 0;
    for_each_lane(warp.at_active_mask, [&](unsigned lane) {
      if (lanes[lane].place == place) group |= bit_of(lane);
    });
    for_each_lane(group, [&](unsigned lane) { lanes[lane].lanes = group; });
    warp.at_active_mask &= ~group;
    make_ready(w, group);
    released = true;
  }
  return released;
}

// --- waiting for memory ------------------------------------------------------------------------

void Worker::park(const void* key, const char* what, Site site) {
  enter_runtime();
  if (this_observer != nullptr) this_observer->yield();
  begin_waiting();
  if (turns.pace != Pace::free) begin_free_pace();
  const unsigned thread = turns.current->thread;
  stays_[thread] = {key, what, site};
  warps_[thread / warpSize].parked |= bit_of(thread % warpSize);
  gained_ = true;
  switch_to(next_at_free_pace());
}

void Worker::wake(const void* key) {
  if (turns.pace != Pace::free) return;
  const InRuntime in_runtime;
  for (unsigned w = 0; w < warp_count_; ++w) {
    std::uint32_t woken = 0;
    for_each_lane(warps_[w].parked, [&](unsigned lane) {
      if (stays_[w * warpSize + lane].key == key) woken |= bit_of(lane);
    });
    warps_[w].parked &= ~woken;
    make_ready(w, woken);
  }
}

void Worker::yield(const char* what, Site site) {
  enter_runtime();
  ++sleeps_;
  spin(what, site);
}

void Worker::spin(const char* what, Site site) {
  if (this_observer != nullptr) this_observer->yield();
  begin_waiting();
  if (turns.pace != Pace::free) begin_free_pace();
  const unsigned thread = turns.current->thread;
  stays_[thread] = {nullptr, what, site};
  warps_[thread / warpSize].spinning |= bit_of(thread % warpSize);
  switch_to(next_at_free_pace());
}

// To be called when no other lane can run. False if no lane spins.
bool Worker::let_spinning_run() {
  const auto spins = [](const Warp& warp) { return warp.spinning != 0; };
  if (std::none_of(warps_.begin(), warps_.begin() + warp_count_, spins)) return false;
  if (!gained_) wait_outside_block();
  if (std::exchange(gained_, false)) naps_ = sleeps_ = 0;
  for (unsigned w = 0; w < warp_count_; ++w) make_ready(w, std::exchange(warps_[w].spinning, 0));
  return true;
}

namespace {

void nap(std::chrono::nanoseconds time) {
  const timespec t{.tv_sec = 0, .tv_nsec = time.count()};
  nanosleep(&t, nullptr);
}

}  // namespace

// Another block has to run first, or the host. If no block ends meanwhile, it may be one that is
// not taken yet. That one gets a further worker: this one's shared memory and fibers are in use.
void Worker::wait_outside_block() {
  constexpr std::chrono::microseconds kNap{20};
  constexpr unsigned kLongestNap = 10;  // as many times the first one
  constexpr unsigned kNapsAlone = 3;    // before a further worker is asked for
  // A loop with a fixed number of __nanosleep() calls waits for nobody, and a busy host wakes a
  // worker from each nap milliseconds late.
  constexpr unsigned kSleepsAwake = 10'000;
  if (grid_->error() == cudaErrorLaunchTimeout) end_for_timeout(/*one_runs=*/false);
  if (grid_->failed()) abandon_block();
  if (!has_spun_ && sleeps_ < kSleepsAwake) return;
  has_waited_ = true;
  if (next_block_ != chunk_end_)
    grid_->give_back(next_block_, std::exchange(chunk_end_, next_block_));
  if (naps_ % kNapsAlone == 0) {
    const std::uint64_t before = std::exchange(finished_blocks_, grid_->finished_blocks());
    if (naps_ != 0 && finished_blocks_ == before) worker_pool().reinforce(*grid_);
  }
  nap(kNap * std::min(++naps_, kLongestNap));
}

// If each block waits for the one before it, workers only wait for each other, and a busy host
// tells each of them late. So one that has waited lets the others get ahead, for longer if it has
// to wait again. That is in vain where they wait, too.
void Worker::let_others_get_ahead() {
  constexpr std::chrono::milliseconds kPause{5};
  constexpr unsigned kMostDoublings = 6;
  if (!has_waited_) {
    waiting_blocks_ = 0;
    return;
  }
  ticker_.set(std::chrono::microseconds::zero());  // a tick would end the nap
  const unsigned pauses = 1 << std::min(waiting_blocks_++, kMostDoublings);
  for (unsigned i = 0; i < pauses && grid_->has_blocks_left() && !grid_->failed(); ++i) {
    const std::uint64_t before = grid_->finished_blocks();
    nap(kPause);
    if (grid_->finished_blocks() == before) break;
  }
  ticker_.set(watch_.next_look(false, false));
}

}  // namespace cucpu
