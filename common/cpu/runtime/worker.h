// One thread of the host that runs blocks, one block at a time.
//
// A kernel whose threads never wait runs as a plain loop over the threads of its blocks. Once one
// waits, each thread has a fiber of its own. As long as all threads come to the same waiting places
// in the same order, which is what kernels do nearly always, they go round in lockstep: who waits
// lets the next thread run, and by the time the round is over, what was waited for has happened.
// Whoever does otherwise makes the block run at a free pace until its next barrier: there the
// worker keeps the set of lanes that can run, warp by warp, and picks from it.
// lockstep.cpp and free_pace.cpp have one pace each, rendezvous.h where lanes of a warp wait,
// preemption.h how a thread that spins loses its turn, waits.cpp what the threads wait for, told to
// the user.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "block_spin_watch.h"
#include "cucpu/execution.h"
#include "fiber_pool.h"
#include "observer.h"
#include "preemption.h"
#include "program_code.h"
#include "rendezvous.h"
#include "settings.h"

namespace cucpu {

class Grid;  // a launch that is under way (grid.h)

// A failure of the launch: a cudaError_t, and what the report says.
struct Fault {
  int error = 0;
  std::string message;
};

class Worker {
 public:
  Worker();

  // Runs blocks of the grid until there are none left or the launch has failed.
  void run(Grid& grid);
  Grid* grid() const { return grid_; }
  // True while a block may be given up by a signal's handler: not while it waits for other blocks,
  // and not once it is about to be given up.
  bool is_interruptible() const { return interruptible_; }
  // True while that instruction is the kernel's own: neither the runtime, nor an observer, nor the
  // C library, whose locks would be lost with the block, is at work.
  bool is_kernels_own(std::uintptr_t code) const {
    return is_in_kernel() && !observer_at_work && kernels_code_.contains(code);
  }
  // Whether no function of the runtime is at work; an observer may be.
  bool is_in_kernel() const { return !in_runtime_; }
  void forbid_interruption() { interruptible_ = false; }

  // --- called by the CUDA thread that runs -----------------------------------------------------
  // `again`: the second arrival at a barrier that takes two.
  BarrierCount block_barrier(bool predicate, const char* what, Site site, bool again = false);
  const WarpExchange& warp_exchange(std::uint32_t mask, std::uint64_t value, const char* what,
                                    Site site);
  // The lanes of the warp that wait at the same place of the program.
  std::uint32_t active_mask(const CodePlace& place);
  // Waits for a call of wake() with the same key.
  void park(const void* key, const char* what, Site site);
  void wake(const void* key);
  // The others go first.
  void yield(const char* what, Site site);
  // yield(), if the timer says that the thread spins.
  void give_way();
  // Only in a cooperative launch. False if the launch has failed.
  bool wait_for_all_blocks(std::uint32_t generation);
  // See next_thread_slow().
  bool end_thread();
  // Gives up the block and everything that waits in it; the launch has failed.
  [[noreturn]] void abandon_block();
  // The same after a fault in a block all of whose threads one loop runs: only another run of it
  // tells which thread that was.
  [[noreturn]] void look_for_thread(const Fault& fault);

  // --- called by the timer's handler, and by code that it must not disturb ---------------------
  void tick(const Sample& sample);
  bool enter_runtime() {
    const bool was_in_runtime = in_runtime_;
    in_runtime_ = true;
    turns.gate = turns.pace;
    return was_in_runtime;
  }
  void leave_runtime(bool in_runtime) { in_runtime_ = in_runtime; }

  // Tells what each live thread of the block waits for, with one line for all lanes of a warp that
  // wait for the same. `one_runs`: the current thread runs, and waits for nothing.
  std::string describe_waits(bool one_runs, std::vector<Site>* sites = nullptr) const;
  bool is_stack_guard(const void* address) const { return fibers_->is_guard(address); }
  // Whether the address is on a stack that this worker has made for its CUDA threads.
  bool has_stack(const void* address) const {
    return address >= fibers_->begin() && address < fibers_->end();
  }

 private:
  struct Warp {
    std::uint32_t live = 0;            // lanes that exist and have not exited
    std::uint32_t ready = 0;           // lanes that can run, where the pace is free
    std::uint32_t spinning = 0;        // likewise, but they have gained nothing when they last ran
    std::uint32_t at_active_mask = 0;  // lanes that wait in active_mask()
    std::uint32_t parked = 0;          // lanes that wait in park()
  };

  // A lane's call of active_mask(), and the answer.
  struct ActiveMask {
    CodePlace place;
    std::uint32_t lanes = 0;
  };

  // The thing that a parked or spinning lane waits for.
  struct Stay {
    const void* key = nullptr;
    const char* what = nullptr;
    Site site;
  };

  static void fiber_main();
  void begin_launch();
  void begin_turns();
  void run_blocks();
  void run_block_again();
  bool take_block();
  void begin_block();

  // Each of these changes the pace.
  void begin_waiting() {
    if (turns.pace == Pace::plain || turns.pace == Pace::leaving) begin_lockstep_from_here();
  }
  void begin_lockstep_from_here();
  void begin_lockstep();
  void begin_free_pace();
  void give_threads_fibers();
  void let_exit_before(unsigned thread);

  void switch_to(Fiber* fiber);
  void switch_from(Fiber& fiber, Context& to);

  // At the free pace.
  Fiber* next_at_free_pace();
  Fiber* next_of(std::uint32_t Warp::*lanes);
  unsigned first_in_order(std::uint32_t set);
  void make_ready(unsigned warp, std::uint32_t lanes);
  void make_all_ready();
  void on_exit_at_free_pace(unsigned thread);
  Fiber* arrive_at_free_pace(std::uint32_t mask, std::uint64_t value, const char* what, Site site);
  void complete_exchange(unsigned warp, Exchange& exchange);
  void leave_exchange(Fiber& fiber);
  bool release_active_masks();
  bool let_spinning_run();
  void wait_outside_block();
  void let_others_get_ahead();
  void spin(const char* what, Site site);
  void watch(const Sample& sample);
  void wait_if_block_spins();

  // In lockstep.
  Fiber* complete_barrier();
  bool can_exchange_in_lockstep(std::uint32_t mask, const char* what, unsigned warp,
                                unsigned lane) const;
  const WarpExchange& follow_in_lockstep(std::uint64_t value);
  Fiber* complete_in_lockstep(Exchange& exchange);
  Fiber* arrive_in_lockstep(std::uint32_t mask, std::uint64_t value, const char* what, Site site);

  bool is_kernels_code(std::uintptr_t code) const;

  [[noreturn, gnu::cold, gnu::noinline]] void report_deadlock() const;
  Site wait_site(unsigned thread) const;
  std::string describe_wait(unsigned thread, unsigned running) const;
  [[noreturn, gnu::cold, gnu::noinline]] void report_divergence(Site site) const;
  [[noreturn, gnu::cold, gnu::noinline]] void report_outside_mask(const char* what,
                                                                  std::uint32_t mask, unsigned lane,
                                                                  Site site) const;
  void forget_everything();

  Grid* grid_ = nullptr;
  std::uint64_t next_block_ = 0;  // of the chunk that this worker has taken
  std::uint64_t chunk_end_ = 0;
  unsigned thread_count_ = 0;  // of a block
  unsigned warp_count_ = 0;
  std::size_t shared_limit_ = 0;  // bytes of shared memory that a block may have

  // The threads of the running block, without the state that `turns` holds.
  std::array<Fiber*, kMaxBlockThreads> fiber_of_{};
  std::array<Warp, kMaxBlockThreads / warpSize> warps_;
  std::array<ActiveMask, kMaxBlockThreads> active_masks_;
  std::array<Stay, kMaxBlockThreads> stays_;
  bool threads_have_fibers_ = false;  // in this launch
  bool round_is_full_ = false;        // the fibers are linked in a round of all threads
  bool exchanged_ = false;            // lanes of this block have met in an exchange
  unsigned alive_ = 0;                // threads that have not exited; in lockstep, at the free pace
  unsigned arrived_ = 0;              // threads at the barrier; at the free pace
  int predicates_ = 0;                // that were true, of the threads at the barrier
  BarrierCount barrier_result_{};
  unsigned current_warp_ = 0;      // at the free pace
  std::uint32_t ready_warps_ = 0;  // likewise: those with a lane that can run
  Rendezvous rendezvous_;          // likewise
  bool gained_ = false;            // likewise: since spinning lanes last ran, others have got on
  bool has_spun_ = false;          // a lane of this block
  unsigned sleeps_ = 0;            // of lanes in __nanosleep() since somebody in the block got on
  unsigned naps_ = 0;              // of the worker, since then
  bool has_waited_ = false;        // this block, for another or for the host
  unsigned waiting_blocks_ = 0;    // in a row, that have
  std::uint64_t finished_blocks_ = 0;  // of the launch, a few naps ago
  std::array<Exchange, 2> shared_;  // in lockstep: the exchange under way, and the one before it,
  unsigned under_way_ = 0;          // whose result lanes may still have to read

  ThreadOrder order_;
  std::mt19937_64 random_;

  std::unique_ptr<FiberPool> fibers_;
  std::unique_ptr<Observer> observer_;
  Context main_{};  // of run()
  bool abandoned_ = false;
  Fault placeless_;  // whose thread run_block_again() looks for
  volatile bool interruptible_ = false;

  Ticker ticker_;
  SpinWatch watch_;
  BlockSpinWatch block_watch_;
  volatile bool look_is_due_ = false;  // of block_watch_: there has been a tick
  CodeRange kernels_code_;
  volatile bool in_runtime_ = true;
  bool shall_give_way_ = false;  // the thread that runs, if it is traced
};

// The worker of this thread of the host while it runs blocks, else null.
extern constinit thread_local Worker* this_worker;

}  // namespace cucpu
