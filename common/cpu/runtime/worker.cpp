#include "worker.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "cucpu/launch.h"
#include "driver_types.h"
#include "grid.h"
#include "lanes.h"
#include "report.h"
#include "shared_memory.h"
#include "state.h"

constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{};
constinit thread_local dim3 gridDim{};

namespace cucpu {

constinit thread_local Turns turns{};
constinit thread_local Worker* this_worker = nullptr;
constinit thread_local Observer* this_observer = nullptr;
ObserverFactory* observers = nullptr;

namespace {

// What observers may use of the stack of the CUDA thread that they watch, beside what is its own.
constexpr std::size_t kObserversStackBytes = 32 * 1024;

constexpr std::uint32_t lanes_below(unsigned lane) {
  return lane >= warpSize ? ~std::uint32_t{0} : bit_of(lane) - 1;
}

uint3 index_of(unsigned thread) {
  return {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / blockDim.x / blockDim.y};
}

}  // namespace

Worker::Worker() : order_(settings().order), random_(settings().seed) {}

// --- launches and blocks -----------------------------------------------------------------------

void Worker::run(Grid& grid) {
  grid_ = &grid;
  this_worker = this;
  begin_launch();
  if (take_block()) {
    interruptible_ = true;
    switch_context(main_, turns.current->context);
    interruptible_ = false;
    if (abandoned_) forget_everything();
  }
  if (this_observer != nullptr) std::exchange(this_observer, nullptr)->end_launch(abandoned_);
  this_worker = nullptr;
  grid_ = nullptr;
}

void Worker::begin_launch() {
  const std::size_t stack_bytes =
      thread_stack_bytes() + (observers != nullptr ? kObserversStackBytes : 0);
  if (fibers_ == nullptr || fibers_->stack_bytes() < stack_bytes) {
    fibers_ = std::make_unique<FiberPool>(&fiber_main, stack_bytes, kMaxBlockThreads);
    fiber_of_[0] = fibers_->make();
  }
  abandoned_ = false;
  next_block_ = chunk_end_ = 0;
  blockDim = grid_->config.block;
  gridDim = grid_->config.grid;
  thread_count_ = grid_->block_threads;
  warp_count_ = (thread_count_ + warpSize - 1) / warpSize;
  shared_limit_ = max_shared_bytes(grid_->task.address);
  threads_have_fibers_ = false;
  exchanged_ = false;
  turns = {};
  turns.current = fiber_of_[0];
  turns.launch = grid_->serial;
  if (observers != nullptr && observers->wants(*grid_)) {
    if (observer_ == nullptr) observer_ = observers->make();
    this_observer = observer_.get();
    this_observer->begin_launch(*grid_, *fibers_);
  }
}

// Sets the block up, and `turns.current` to the fiber that is to run its first thread.
bool Worker::take_block() {
  if (next_block_ == chunk_end_ && !grid_->take_blocks(next_block_, chunk_end_)) return false;
  const std::uint64_t block = next_block_++;
  blockIdx.x = static_cast<unsigned>(block % gridDim.x);
  const std::uint64_t rest = block / gridDim.x;
  blockIdx.y = static_cast<unsigned>(rest % gridDim.y);
  blockIdx.z = static_cast<unsigned>(rest / gridDim.y);
  // What is random must not depend on which worker runs the block.
  if (order_ == ThreadOrder::random)
    random_.seed(settings().seed ^ (grid_->serial << 32) ^ (block + 1));
  begin_block();
  return true;
}

void Worker::begin_block() {
  if (this_observer != nullptr) this_observer->begin_block();
  begin_shared_memory(grid_->config.shared_bytes, shared_limit_);
  // What the block before did, this one will most likely do too.
  const bool waits = turns.barrier_site.file != nullptr || std::exchange(exchanged_, false);
  turns.barrier_site = {};
  turns.arrived = 0;
  predicates_ = 0;
  if (!waits && order_ == ThreadOrder::ascending) {
    turns.pace = Pace::plain;
    threadIdx = {0, 0, 0};
    return;
  }
  give_threads_fibers();
  let_exit_before(0);
  if (order_ == ThreadOrder::ascending) {
    begin_lockstep();
    turns.current = first_;
  } else {
    make_all_ready();
    turns.current = next_at_free_pace();
  }
}

// What every fiber runs: threads, one launch after the other. Whoever switches to a fiber that is
// at its beginning, or in end_thread(), has set up a thread for it.
void Worker::fiber_main() {
  for (;;) {
    if (turns.pace != Pace::plain) threadIdx = turns.current->index;
    const Task& task = this_worker->grid_->task;
    task.run(task.closure);
  }
}

bool Worker::end_thread() {
  if (this_observer != nullptr) this_observer->exit_thread();
  if (turns.pace == Pace::plain && linear_thread() + 1 < thread_count_) {
    // Only a traced program ends here the threads that next_thread() else deals with.
    threadIdx = index_of(linear_thread() + 1);
    return true;
  }
  const std::uint64_t launch = turns.launch;
  Fiber* const me = turns.current;
  if (turns.pace == Pace::lockstep && turns.arrived == 0) turns.pace = Pace::leaving;
  if (turns.pace == Pace::lockstep || turns.pace == Pace::exchanging) begin_free_pace();
  if (turns.pace == Pace::free) on_exit_at_free_pace(me->thread);
  if (turns.pace == Pace::leaving) --turns.alive;

  if (turns.pace != Pace::plain && turns.alive != 0) {
    if (turns.pace == Pace::leaving)
      switch_to(me->next);
    else
      switch_to(turns.arrived == turns.alive ? complete_barrier() : next_at_free_pace());
    return turns.launch == launch;
  }

  if (this_observer != nullptr) this_observer->end_block();
  grid_->count_finished_block();
  if (!take_block()) {
    switch_context(me->context, main_);
  } else if (turns.current != me) {
    switch_context(me->context, turns.current->context);
  }
  if (turns.pace != Pace::plain) threadIdx = me->index;
  return turns.launch == launch;
}

// --- taking turns ------------------------------------------------------------------------------

[[gnu::always_inline]] inline void Worker::switch_to(Fiber* fiber) {
  Fiber* const me = turns.current;
  turns.current = fiber;
  if (fiber != me) switch_context(me->context, fiber->context);
  if (turns.pace != Pace::plain) threadIdx = me->index;
}

void Worker::give_threads_fibers() {
  if (threads_have_fibers_) return;
  threads_have_fibers_ = true;
  round_is_full_ = false;
  while (fibers_->size() < thread_count_) {
    const unsigned next = fibers_->size();
    fiber_of_[next] = fibers_->make();
  }
  for (unsigned t = 0; t < thread_count_; ++t) {
    fiber_of_[t]->thread = t;
    fiber_of_[t]->index = index_of(t);
    fiber_of_[t]->exchange = nullptr;
  }
}

// The threads before this one have exited, the others have not.
void Worker::let_exit_before(unsigned thread) {
  turns.alive = thread_count_ - thread;
  for (unsigned w = 0; w < warp_count_; ++w) {
    const unsigned first = w * warpSize;
    warps_[w] = Warp{.live = lanes_below(thread_count_ - first)};
    if (thread > first) warps_[w].live &= ~lanes_below(thread - first);
  }
}

// The current thread is about to wait.
void Worker::begin_waiting() {
  Fiber* const me = turns.current;
  if (turns.pace == Pace::plain) {
    const unsigned thread = linear_thread();
    give_threads_fibers();
    // The fiber that looped over the threads becomes this one's.
    Fiber* const other = std::exchange(fiber_of_[thread], me);
    fiber_of_[me->thread] = other;
    std::swap(me->thread, other->thread);
    std::swap(me->index, other->index);
    let_exit_before(thread);
    begin_lockstep();
  } else if (turns.pace == Pace::leaving) {
    for (unsigned w = 0; w * warpSize < me->thread; ++w)
      warps_[w].live &= ~lanes_below(me->thread - w * warpSize);
    first_ = last_->next = me;
    round_is_full_ = false;
    turns.pace = Pace::lockstep;
  }
}

// All live threads are where a round can begin: at their start, or released from a barrier.
void Worker::begin_lockstep() {
  turns.pace = Pace::lockstep;
  for (Exchange& exchange : shared_) exchange.arrived = 0;
  const bool all = turns.alive == thread_count_;
  if (all && round_is_full_) return;
  first_ = last_ = nullptr;
  for (unsigned w = 0; w < warp_count_; ++w) {
    for (std::uint32_t lanes = warps_[w].live; lanes != 0; lanes &= lanes - 1) {
      Fiber* const fiber = fiber_of_[w * warpSize + lowest_lane(lanes)];
      (first_ == nullptr ? first_ : last_->next) = fiber;
      last_ = fiber;
    }
  }
  last_->next = first_;
  round_is_full_ = all;
}

// In lockstep, who comes before the current thread waits, and who comes after it can run.
void Worker::begin_free_pace() {
  const unsigned thread = turns.current->thread;
  const unsigned warp = thread / warpSize;
  ready_warps_ = 0;
  for (unsigned w = 0; w < warp_count_; ++w) warps_[w].ready = 0;
  make_ready(warp, warps_[warp].live & ~lanes_below(thread % warpSize + 1));
  for (unsigned w = warp + 1; w < warp_count_; ++w) make_ready(w, warps_[w].live);
  if (turns.pace == Pace::exchanging) {
    Exchange& shared = shared_[under_way_];
    Exchange* const own = new_exchange(warp);
    Exchange* const next = own->next;
    *own = shared;
    own->next = next;
    shared.arrived = 0;
    for (std::uint32_t lanes = own->arrived; lanes != 0; lanes &= lanes - 1)
      fiber_of_[warp * warpSize + lowest_lane(lanes)]->exchange = own;
  }
  current_warp_ = warp;
  turns.pace = Pace::free;
}

unsigned Worker::first_in_order(std::uint32_t set) {
  if (order_ == ThreadOrder::ascending) return lowest_lane(set);
  if (order_ == ThreadOrder::random)
    for (std::uint64_t skip = random_() % std::popcount(set); skip > 0; --skip) set &= set - 1;
  return order_ == ThreadOrder::random ? lowest_lane(set)
                                       : 31 - static_cast<unsigned>(std::countl_zero(set));
}

Fiber* Worker::next_at_free_pace() {
  if (ready_warps_ == 0 && !release_active_masks()) report_deadlock();
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
  turns.pace = Pace::free;
  for (unsigned w = 0; w < warp_count_; ++w) make_ready(w, warps_[w].live);
  current_warp_ = first_in_order(ready_warps_);
}

// Exchanges that only waited for this thread wait no longer.
void Worker::on_exit_at_free_pace(unsigned thread) {
  leave_exchange(*fiber_of_[thread]);
  const unsigned w = thread / warpSize;
  Warp& warp = warps_[w];
  warp.live &= ~bit_of(thread % warpSize);
  --turns.alive;
  for (Exchange* e = warp.pending; e != nullptr;) {
    Exchange* const next = e->next;
    if (e->arrived == (e->mask & warp.live)) complete_exchange(w, e);
    e = next;
  }
}

// --- barriers ----------------------------------------------------------------------------------

BarrierCount Worker::block_barrier(bool predicate, const char* what, Site site, bool again) {
  if (this_observer != nullptr) this_observer->arrive({true, 0, what, site, again});
  begin_waiting();
  if (turns.pace == Pace::exchanging) begin_free_pace();
  if (turns.arrived == 0) {
    turns.barrier_site = site;
    turns.barrier_what = what;
  } else if (!same_line(turns.barrier_site, site)) {
    report_divergence(site);
  }
  predicates_ += predicate;
  if (++turns.arrived == turns.alive)
    switch_to(complete_barrier());
  else
    switch_to(turns.pace == Pace::lockstep ? turns.current->next : next_at_free_pace());
  return barrier_result_;
}

// All threads that have not exited are there. Returns the one to go on with.
Fiber* Worker::complete_barrier() {
  if (this_observer != nullptr) this_observer->block_met();
  barrier_result_ = {static_cast<int>(std::exchange(turns.arrived, 0)),
                     std::exchange(predicates_, 0)};
  if (order_ != ThreadOrder::ascending) {
    make_all_ready();
    return next_at_free_pace();
  }
  if (turns.pace == Pace::free) {
    // Whoever took part in an exchange has looked at it since.
    for (Fiber* fiber : fiber_of_)
      if (fiber != nullptr) leave_exchange(*fiber);
    begin_lockstep();
  }
  return first_;
}

// --- exchanges within a warp -------------------------------------------------------------------

const WarpExchange& Worker::warp_exchange(std::uint32_t mask, std::uint64_t value, const char* what,
                                          Site site) {
  if (this_observer != nullptr) this_observer->arrive({false, mask, what, site});
  begin_waiting();
  exchanged_ = true;
  Fiber* const me = turns.current;
  const unsigned warp = me->thread / warpSize;
  const unsigned lane = me->thread % warpSize;
  if ((mask & bit_of(lane)) == 0) report_outside_mask(what, mask, lane, site);
  if (can_exchange_in_lockstep(mask, warp, lane)) {
    switch_to(arrive_in_lockstep(mask, value, what, site));
  } else {
    if (turns.pace != Pace::free) begin_free_pace();
    switch_to(arrive_at_free_pace(mask, value, what, site));
  }
  return *me->exchange;
}

// All live lanes of the warp take part, and none has gone past this place to wait elsewhere.
bool Worker::can_exchange_in_lockstep(std::uint32_t mask, unsigned warp, unsigned lane) const {
  if (turns.pace == Pace::exchanging) return shared_[under_way_].mask == mask;
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
    turns.pace = Pace::exchanging;
    exchange.mask = mask;
    exchange.what = what;
    exchange.site = site;
  }
  exchange.value[lane] = value;
  exchange.arrived |= bit_of(lane);
  me->exchange = &exchange;
  if (exchange.arrived != warps_[warp].live) return me->next;
  // The next exchange uses the other slot: by the time it is over, all have looked at this one.
  exchange.lanes = std::exchange(exchange.arrived, 0);
  under_way_ = 1 - under_way_;
  turns.pace = Pace::lockstep;
  if (this_observer != nullptr) this_observer->lanes_met(warp, exchange.mask, exchange.what);
  return fiber_of_[warp * warpSize + lowest_lane(exchange.lanes)];
}

Fiber* Worker::arrive_at_free_pace(std::uint32_t mask, std::uint64_t value, const char* what,
                                   Site site) {
  Fiber* const me = turns.current;
  const unsigned warp = me->thread / warpSize;
  const unsigned lane = me->thread % warpSize;
  leave_exchange(*me);
  Exchange* const exchange = join_exchange(warp, mask, what, site);
  exchange->value[lane] = value;
  exchange->arrived |= bit_of(lane);
  me->exchange = exchange;
  if (exchange->arrived == (mask & warps_[warp].live)) complete_exchange(warp, exchange);
  return next_at_free_pace();
}

// The exchange with this mask that waits for lanes of the warp, or a new one.
Worker::Exchange* Worker::join_exchange(unsigned warp, std::uint32_t mask, const char* what,
                                        Site site) {
  for (Exchange* e = warps_[warp].pending; e != nullptr; e = e->next) {
    if (e->mask == mask) return e;
    if ((e->mask & mask) != 0) report_overlap(what, mask, *e, site);
  }
  Exchange* const exchange = new_exchange(warp);
  exchange->mask = mask;
  exchange->what = what;
  exchange->site = site;
  return exchange;
}

Worker::Exchange* Worker::new_exchange(unsigned warp) {
  Exchange* exchange = free_exchanges_;
  if (exchange == nullptr) {
    exchanges_.push_back(std::make_unique<Exchange>());
    exchange = exchanges_.back().get();
  } else {
    free_exchanges_ = exchange->next;
  }
  exchange->arrived = 0;
  exchange->next = std::exchange(warps_[warp].pending, exchange);
  return exchange;
}

void Worker::complete_exchange(unsigned warp, Exchange* exchange) {
  exchange->lanes = exchange->arrived;
  exchange->readers = std::popcount(exchange->arrived);
  Exchange** link = &warps_[warp].pending;
  while (*link != exchange) link = &(*link)->next;
  *link = exchange->next;
  make_ready(warp, exchange->lanes);
  if (this_observer != nullptr)
    this_observer->lanes_met(warp, exchange->mask, exchange->what);
}

// The thread has read what it wanted of its last exchange.
void Worker::leave_exchange(Fiber& fiber) {
  auto* exchange =
      static_cast<Exchange*>(const_cast<WarpExchange*>(std::exchange(fiber.exchange, nullptr)));
  if (exchange == nullptr || exchange == &shared_[0] || exchange == &shared_[1]) return;
  if (--exchange->readers > 0) return;
  exchange->next = free_exchanges_;
  free_exchanges_ = exchange;
}

std::uint32_t Worker::active_mask(Site site) {
  if (this_observer != nullptr)
    this_observer->arrive({false, bit_of(lane_id()), "__activemask", site});
  begin_waiting();
  if (turns.pace != Pace::free) begin_free_pace();
  const unsigned thread = turns.current->thread;
  warps_[thread / warpSize].at_active_mask |= bit_of(thread % warpSize);
  active_masks_[thread].site = site;
  switch_to(next_at_free_pace());
  return active_masks_[thread].lanes;
}

// Nothing else can run: the lanes of a warp that ask at the same place are each other's answer.
bool Worker::release_active_masks() {
  bool released = false;
  for (unsigned w = 0; w < warp_count_; ++w) {
    Warp& warp = warps_[w];
    if (warp.at_active_mask == 0) continue;
    ActiveMask* const lanes = &active_masks_[w * warpSize];
    const Site site = lanes[lowest_lane(warp.at_active_mask)].site;
    std::uint32_t group = 0;
    for (std::uint32_t left = warp.at_active_mask; left != 0; left &= left - 1)
      if (same_line(lanes[lowest_lane(left)].site, site)) group |= left & -left;
    for (std::uint32_t left = group; left != 0; left &= left - 1)
      lanes[lowest_lane(left)].lanes = group;
    warp.at_active_mask &= ~group;
    make_ready(w, group);
    released = true;
  }
  return released;
}

bool Worker::wait_for_all_blocks() {
  interruptible_ = false;
  const bool all_here = grid_->wait_for_all_blocks();
  interruptible_ = all_here;
  return all_here;
}

// --- failure -----------------------------------------------------------------------------------

// One line for the lanes of a warp that wait in the same way.
void Worker::report_deadlock() const {
  std::string text = "Deadlock: no thread of the block can go on\n=========     at ";
  text += grid_->task.name;
  std::vector<Site> sites;  // that differ
  for (unsigned w = 0; w < warp_count_; ++w) {
    std::uint32_t left = warps_[w].live;
    while (left != 0) {
      const unsigned first = w * warpSize + lowest_lane(left);
      const std::string wait = describe_wait(first);
      const Site site = wait_site(first);
      if (std::none_of(sites.begin(), sites.end(), [&](Site s) { return same_line(s, site); }))
        sites.push_back(site);
      std::uint32_t group = 0;
      for (std::uint32_t lanes = left; lanes != 0; lanes &= lanes - 1)
        if (describe_wait(w * warpSize + lowest_lane(lanes)) == wait) group |= lanes & -lanes;
      left &= ~group;
      text +=
          "\n=========     warp " + std::to_string(w) + ", " + describe_lanes(group) + ": " + wait;
    }
    if (this_observer == nullptr || warps_[w].pending == nullptr) continue;
    if (const std::string how = this_observer->how_out_of_step(w); !how.empty())
      text += "\n=========     warp " + std::to_string(w) + ", before that: " + how;
  }
  sites.resize(2);
  fail_launch(SyncFault::deadlock, cudaErrorLaunchTimeout, text, sites[0], sites[1]);
}

// The exchange that the thread waits for, or null: then it waits for its block.
const Worker::Exchange* Worker::waits_for(unsigned thread) const {
  const Exchange* e = warps_[thread / warpSize].pending;
  while (e != nullptr && (e->arrived & bit_of(thread % warpSize)) == 0) e = e->next;
  return e;
}

Site Worker::wait_site(unsigned thread) const {
  const Exchange* const e = waits_for(thread);
  return e != nullptr ? e->site : turns.barrier_site;
}

std::string Worker::describe_wait(unsigned thread) const {
  if (const Exchange* const e = waits_for(thread))
    return std::string(e->what) + " with mask " + hex(e->mask) + " waits for " +
           describe_lanes(e->mask & warps_[thread / warpSize].live & ~e->arrived) + " in " +
           describe(e->site);
  return std::string(turns.barrier_what) + " waits for the block in " +
         describe(turns.barrier_site);
}

void Worker::report_divergence(Site site) const {
  fail_launch(SyncFault::barrier_divergence, cudaErrorLaunchFailure,
              "Barrier error detected. Divergent thread(s) in block." + describe_thread(site) +
                  "\n=========     Other threads of the block wait at " + turns.barrier_what +
                  " in " + describe(turns.barrier_site),
              site, turns.barrier_site);
}

void Worker::report_outside_mask(const char* what, std::uint32_t mask, unsigned lane,
                                 Site site) const {
  fail_launch(SyncFault::invalid_mask, cudaErrorLaunchFailure,
              "Barrier error detected. Invalid arguments." + describe_thread(site) +
                  "\n=========     " + what + ": lane " + std::to_string(lane) +
                  " is not in its own mask " + hex(mask),
              site);
}

void Worker::report_overlap(const char* what, std::uint32_t mask, const Exchange& other,
                            Site site) const {
  fail_launch(SyncFault::invalid_mask, cudaErrorLaunchFailure,
              "Barrier error detected. Divergent thread(s) in warp." + describe_thread(site) +
                  "\n=========     " + what + ": mask " + hex(mask) +
                  " overlaps, without being equal to it, mask " + hex(other.mask) +
                  "\n=========     that other lanes of the warp wait with at " + other.what +
                  " in " + describe(other.site),
              site, other.site);
}

void Worker::abandon_block() {
  abandoned_ = true;
  Context lost;
  switch_context(lost, main_);
  __builtin_unreachable();
}

// After a failure: nobody that waited will go on.
void Worker::forget_everything() {
  fibers_->restart_all();
  free_exchanges_ = nullptr;
  exchanges_.clear();
  turns = {};
}

}  // namespace cucpu
