#include "worker.h"

#include <bit>
#include <chrono>
#include <utility>

#include "driver_types.h"
#include "grid.h"
#include "lanes.h"
#include "report.h"
#include "shared_memory.h"
#include "state.h"
#include "switching.h"

namespace cucpu {

constinit thread_local Observer* this_observer = nullptr;
constinit thread_local volatile bool observer_at_work = false;
constinit thread_local volatile bool end_is_due = false;
ObserverFactory* observers = nullptr;

namespace {

// Room that observers may use on the stack of the CUDA thread that they watch.
constexpr std::size_t kObserversStackBytes = 32 * 1024;

constexpr std::ptrdiff_t kCacheLine = 64;
// Lines that a barrier of a traced kernel fetches: the frames of the runtime lie on a stack, too.
constexpr int kLinesAhead = 5;
// From so many bytes on, three lines of each stack are fetched ahead of its turn. A kernel that
// keeps a few variables alone uses 300, most of them for its own call, and what more is fetched
// only takes other stacks' place in the cache.
constexpr std::uintptr_t kDeepStack = 512;

uint3 index_of(unsigned thread) {
  return {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / blockDim.x / blockDim.y};
}

}  // namespace

Worker::Worker() : order_(settings().order), random_(settings().seed) { install_tick_handler(); }

// --- launches and blocks -----------------------------------------------------------------------

void Worker::run(Grid& grid) {
  grid_ = &grid;
  this_worker = this;
  begin_launch();
  if (take_block()) run_blocks();
  if (placeless_.error != 0) run_block_again();
  if (this_observer != nullptr) std::exchange(this_observer, nullptr)->end_launch();
  this_worker = nullptr;
  grid_ = nullptr;
}

// From the one that has been set up on, until none is left or one is given up.
void Worker::run_blocks() {
  interruptible_ = true;
  ticker_.set(watch_.next_look(false, false));
  in_runtime_ = false;
  switch_context(main_, turns.current->context);
  in_runtime_ = true;
  ticker_.set(std::chrono::microseconds::zero());
  interruptible_ = false;
  if (abandoned_) {
    // A fault may have come while the observer was at work.
    observer_at_work = false;
    end_is_due = false;
    let_signals_in();
    forget_everything();
  }
}

// Its threads now run one by one, and the one with the fault says so. The block may do twice what
// it does: nobody can rely on the memory of a launch that failed.
void Worker::run_block_again() {
  begin_turns();
  turns.one_by_one = true;
  begin_block();
  run_blocks();
  placeless_ = {};
}

void Worker::begin_launch() {
  const std::size_t stack_bytes =
      thread_stack_bytes() + (observers != nullptr ? kObserversStackBytes : 0);
  if (fibers_ == nullptr || fibers_->stack_bytes() < stack_bytes) {
    fibers_ = std::make_unique<FiberPool>(&fiber_main, stack_bytes, kMaxBlockThreads);
    fiber_of_[0] = fibers_->make();
  }
  const auto code = reinterpret_cast<std::uintptr_t>(grid_->task.run);
  if (!kernels_code_.contains(code)) kernels_code_ = module_of(code);
  abandoned_ = false;
  next_block_ = chunk_end_ = 0;
  waiting_blocks_ = 0;
  blockDim = grid_->config.block;
  gridDim = grid_->config.grid;
  thread_count_ = grid_->block_threads;
  warp_count_ = (thread_count_ + warpSize - 1) / warpSize;
  shared_limit_ = max_shared_bytes(grid_->task.address);
  threads_have_fibers_ = false;
  exchanged_ = false;
  begin_turns();
  if (observers != nullptr && observers->wants(*grid_)) {
    if (observer_ == nullptr) observer_ = observers->make();
    this_observer = observer_.get();
    this_observer->begin_launch(*grid_, *fibers_);
  }
}

void Worker::begin_turns() {
  turns = {};
  turns.current = fiber_of_[0];
  turns.launch = grid_->serial;
}

// Sets the block up, and `turns.current` to the fiber that is to run its first thread.
bool Worker::take_block() {
  if (next_block_ == chunk_end_ && !grid_->take_blocks(next_block_, chunk_end_)) return false;
  const std::uint64_t block = next_block_++;
  blockIdx.x = static_cast<unsigned>(block % gridDim.x);
  const std::uint64_t rest = block / gridDim.x;
  blockIdx.y = static_cast<unsigned>(rest % gridDim.y);
  blockIdx.z = static_cast<unsigned>(rest / gridDim.y);
  // The random order must not depend on which worker runs the block.
  if (order_ == ThreadOrder::random)
    random_.seed(settings().seed ^ (grid_->serial << 32) ^ (block + 1));
  begin_block();
  return true;
}

void Worker::begin_block() {
  if (this_observer != nullptr) this_observer->begin_block();
  begin_shared_memory(grid_->config.shared_bytes, shared_limit_);
  // This block will most likely behave like the one before.
  const bool waits = turns.barrier_site.file != nullptr || std::exchange(exchanged_, false);
  turns.barrier_site = {};
  arrived_ = 0;
  predicates_ = 0;
  has_spun_ = has_waited_ = false;
  block_watch_.begin_block();
  naps_ = sleeps_ = 0;
  if (!waits && order_ == ThreadOrder::ascending) {
    set_pace(Pace::plain);
    threadIdx = {0, 0, 0};
    return;
  }
  give_threads_fibers();
  let_exit_before(0);
  if (order_ == ThreadOrder::ascending) {
    begin_lockstep();
    turns.current = turns.first;
  } else {
    make_all_ready();
    turns.current = next_at_free_pace();
  }
}

// Every fiber runs this: threads, one launch after the other. Before switching to a fiber at its
// beginning, or in end_thread(), the caller sets up a thread for it.
void Worker::fiber_main() {
#ifdef CUCPU_SANITIZED_STACKS
  arrive_on_stack(turns.current->context.stack);
#endif
  for (;;) {
    if (turns.pace != Pace::plain) threadIdx = turns.current->index;
    const Task& task = this_worker->grid_->task;
    task.run(task.closure);
  }
}

bool Worker::end_thread() {
  enter_runtime();
  turns.whole_block = false;
  if (this_observer != nullptr) this_observer->exit_thread();
  if (turns.pace == Pace::plain && linear_thread() + 1 < thread_count_) {
    // Only a traced program ends here the threads that next_thread() else deals with.
    threadIdx = index_of(linear_thread() + 1);
    in_runtime_ = false;
    return true;
  }
  const std::uint64_t launch = turns.launch;
  Fiber* const me = turns.current;
  if (turns.pace == Pace::lockstep && me == turns.first) set_pace(Pace::leaving);
  if (turns.pace == Pace::lockstep || turns.pace == Pace::exchanging) begin_free_pace();
  if (turns.pace == Pace::free) on_exit_at_free_pace(me->thread);
  if (turns.pace == Pace::leaving && me != turns.last) {
    switch_to(me->next);
    return turns.launch == launch;
  }
  if (turns.pace == Pace::free && alive_ != 0) {
    switch_to(arrived_ == alive_ ? complete_barrier() : next_at_free_pace());
    return turns.launch == launch;
  }

  if (this_observer != nullptr) this_observer->end_block();
  if (placeless_.error != 0) {
    turns.whole_block = true;  // as it was when the fault came, which now has not come again
    fault(placeless_.error, placeless_.message.c_str(), {});
  }
  grid_->count_finished_block();
  let_others_get_ahead();
  if (!take_block()) {
    switch_from(*me, main_);
  } else {
    switch_from(*me, turns.current->context);
  }
  if (turns.pace != Pace::plain) threadIdx = me->index;
  return turns.launch == launch;
}

// --- threads get fibers ------------------------------------------------------------------------

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
  alive_ = thread_count_ - thread;
  rendezvous_.begin_block(warp_count_);
  for (unsigned w = 0; w < warp_count_; ++w) {
    const unsigned first = w * warpSize;
    warps_[w] = Warp{.live = lanes_below(thread_count_ - first)};
    if (thread > first) warps_[w].live &= ~lanes_below(thread - first);
  }
}

// The current thread is about to wait, the first of those that have not exited.
void Worker::begin_lockstep_from_here() {
  Fiber* const me = turns.current;
  if (turns.pace == Pace::plain) {
    const unsigned thread = linear_thread();
    give_threads_fibers();
    // The fiber that looped over the threads becomes this one's.
    Fiber* const other = std::exchange(fiber_of_[thread], me);
    fiber_of_[me->thread] = other;
    std::swap(me->thread, other->thread);
    std::swap(me->index, other->index);
    if (other != me) round_is_full_ = false;  // it would not begin with this thread
    let_exit_before(thread);
    begin_lockstep();
  } else {
    alive_ = 0;
    for (unsigned w = 0; w < warp_count_; ++w) {
      if (w * warpSize < me->thread) warps_[w].live &= ~lanes_below(me->thread - w * warpSize);
      alive_ += std::popcount(warps_[w].live);
    }
    turns.first = turns.last->next = me;
    round_is_full_ = false;
    set_pace(Pace::lockstep);
  }
}

// --- exchanges and barriers --------------------------------------------------------------------

const WarpExchange& Worker::warp_exchange(std::uint32_t mask, std::uint64_t value, const char* what,
                                          Site site) {
  if (this_observer == nullptr && turns.gate == Pace::exchanging &&
      shared_[under_way_].mask == mask && shared_[under_way_].what == what) [[likely]]
    return follow_in_lockstep(value);
  enter_runtime();
  if (this_observer != nullptr) this_observer->arrive({false, mask, what, site, false, value});
  begin_waiting();
  wait_if_block_spins();
  exchanged_ = true;
  Fiber* const me = turns.current;
  const unsigned warp = me->thread / warpSize;
  const unsigned lane = me->thread % warpSize;
  if ((mask & bit_of(lane)) == 0) report_outside_mask(what, mask, lane, site);
  if (can_exchange_in_lockstep(mask, what, warp, lane)) {
    switch_to(arrive_in_lockstep(mask, value, what, site));
  } else {
    if (turns.pace != Pace::free) begin_free_pace();
    switch_to(arrive_at_free_pace(mask, value, what, site));
  }
  return *me->exchange;
}

BarrierCount Worker::block_barrier(bool predicate, const char* what, Site site, bool again) {
  enter_runtime();
  if (this_observer != nullptr) this_observer->arrive({true, 0, what, site, again});
  begin_waiting();
  wait_if_block_spins();
  if (turns.pace == Pace::exchanging) begin_free_pace();
  const bool is_first = turns.pace == Pace::lockstep ? turns.current == turns.first : arrived_ == 0;
  if (is_first) {
    turns.barrier_site = site;
    turns.barrier_what = what;
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    turns.lines_apart = fibers_->depth(*turns.current, here) < kDeepStack ? 0 : kCacheLine;
  } else if (!same_line(turns.barrier_site, site)) {
    report_divergence(site);
  }
  predicates_ += predicate;
  gained_ = true;
  if (turns.pace == Pace::lockstep) {
    const char* const stack = prefetch_stack_ahead(turns.current);
    for (int line = 1; line < kLinesAhead; ++line) __builtin_prefetch(stack + line * kCacheLine);
    switch_to(turns.current == turns.last ? complete_barrier() : turns.current->next);
  } else {
    switch_to(++arrived_ == alive_ ? complete_barrier() : next_at_free_pace());
  }
  return barrier_result_;
}

// All threads that have not exited are there. Returns the one to go on with.
Fiber* Worker::complete_barrier() {
  block_watch_.block_met();
  if (this_observer != nullptr) this_observer->block_met();
  arrived_ = 0;
  barrier_result_ = {static_cast<int>(alive_), std::exchange(predicates_, 0)};
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
  return turns.first;
}

bool Worker::wait_for_all_blocks(std::uint32_t generation) {
  interruptible_ = false;
  const bool all_here = grid_->wait_for_all_blocks(generation);
  interruptible_ = all_here;
  return all_here;
}

// --- interruptions -----------------------------------------------------------------------------

void Worker::tick(const Sample& sample) {
  look_is_due_ = true;
  const bool may_interrupt = interruptible_ && !in_runtime_ && !turns.whole_block;
  const bool is_watched = may_interrupt && turns.gate == Pace::watched;
  if (may_interrupt && !is_watched) watch(sample);
  const auto verdict = is_watched ? watch_.look(sample) : SpinWatch::Verdict::unknown;
  shall_give_way_ = is_watched && watch_.is_settled();
  ticker_.set(watch_.next_look(is_watched, has_spun_ && may_interrupt));
  if (verdict == SpinWatch::Verdict::unknown || grid_->task.traced ||
      !kernels_code_.contains(sample.code))
    return;
  enter_runtime();
  has_spun_ = true;
  let_signals_in();
  spin(nullptr, {});
  // It goes on where it was, and probably as it did.
  watch(sample);
}

void Worker::watch(const Sample& sample) {
  turns.gate = Pace::watched;
  watch_.begin(sample);
}

void Worker::give_way() {
  if (!shall_give_way_ || in_runtime_) return;
  enter_runtime();
  has_spun_ = true;
  spin(nullptr, {});
}

// The threads may wait together for another block. To be called by one of them in the runtime,
// where each tick sends it.
void Worker::wait_if_block_spins() {
  if (!look_is_due_) [[likely]]
    return;
  look_is_due_ = false;
  if (!FiberPool::can_read_stacks()) return;
  const unsigned running = turns.current->thread;
  const auto is_live = [&](unsigned t) {
    return (warps_[t / warpSize].live & bit_of(t % warpSize)) != 0;
  };
  if (block_watch_.thread() == BlockSpinWatch::kNone || !is_live(block_watch_.thread())) {
    const unsigned warp = running / warpSize;
    block_watch_.begin_watch(warp * warpSize + lowest_lane(warps_[warp].live));
  }
  const bool in_turn = turns.pace == Pace::lockstep || turns.pace == Pace::exchanging;
  if (!block_watch_.look(*fiber_of_[block_watch_.thread()], *fibers_, running, in_turn)) return;
  has_spun_ = true;
  wait_outside_block();
}

// --- failure -----------------------------------------------------------------------------------

void Worker::abandon_block() {
  abandoned_ = true;
  Context lost;
  switch_context(lost, main_);
  __builtin_unreachable();
}

void Worker::look_for_thread(const Fault& fault) {
  placeless_ = fault;
  abandon_block();
}

// After a failure: threads that waited will not go on.
void Worker::forget_everything() {
  fibers_->restart_all();
  rendezvous_.clear();
  turns = {};
}

}  // namespace cucpu
