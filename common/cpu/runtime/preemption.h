// Takes its turn from a CUDA thread that spins.
//
// A thread may loop until another one writes: `while (*flag == 0);` on a volatile variable, or
// `while (atomicCAS(lock, 0, 1) != 0);`. Such a loop calls nothing, and a kernel that has none must
// not pay for those that have. So nothing is added to kernels: while a worker runs blocks, a timer
// interrupts it now and then. A signal's frame holds all registers, and lies on the fiber's own
// stack: the handler can switch to another fiber, and when some day somebody switches back, it
// returns into the loop.
//
// That is right only where neither the runtime nor the C library is at work underneath.
// - Parts of the runtime are inlined into kernels. The first tick sets Turns::gate to `watched`,
//   which sends every one of them to the runtime, and whoever enters the runtime so sets it back.
//   At a later tick it is still `watched` only if the thread has done nothing since but its
//   kernel's own code; what was under way at the first tick is over, as the thread has had some
//   time on a processor in between.
// - While the runtime is at work, `InRuntime` says so.
// - The interrupted instruction has to be one of the module that the kernel is in: the C library's
//   locks are not held there.
//
// A thread spins if it comes by the same instruction with the same registers more than once. One
// that has run very long without that may spin in a way of its own, and loses its turn as well.
// A kernel that is traced is in the runtime nearly always: it gives its turn up itself, in what the
// compiler calls at volatile and atomic accesses, when the timer has said so
// (give_way_if_spinning).
#pragma once

#include <signal.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "cucpu/fiber.h"

namespace cucpu {

// Sends this thread of the host SIGRTMIN + 7, once each time it is set: however slow signals are
// here, the thread gets on between two of them.
class Ticker {
 public:
  Ticker();
  ~Ticker();
  Ticker(const Ticker&) = delete;

  // Never, if that is 0. May be called by the signal's handler.
  void set(std::chrono::microseconds from_now);

 private:
  timer_t timer_{};
  bool works_ = false;
};

// The state of the running CUDA thread where it was interrupted.
struct Sample {
  std::uintptr_t code;
  std::uint64_t registers;  // a hash of them
};

// Judges from the ticks whether the thread that a worker runs makes progress.
class SpinWatch {
 public:
  enum class Verdict { unknown, runs_long, spins };

  // The thread has been found to do nothing but its kernel's own code, from here on.
  void begin(const Sample& sample);
  // It still does.
  Verdict look(const Sample& sample);
  // It has, for long enough to tell it from one that has just been at work in the runtime.
  bool is_settled() const;
  // When it is to be looked at again. `others_spin`: threads of its block did, of late.
  std::chrono::microseconds next_look(bool is_watched, bool others_spin) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::array<Sample, 16> samples_;
  unsigned count_ = 0;  // of all samples; the last ones are kept
  std::chrono::nanoseconds since_{0};
  std::chrono::nanoseconds processor_time_{0};  // of the host's thread, at the last look
};

// Beside what the runtime does for a CUDA thread that must not lose its turn meanwhile.
class InRuntime {
 public:
  InRuntime();
  ~InRuntime();
  InRuntime(const InRuntime&) = delete;

 private:
  bool before_;
};

// `context`: the ucontext_t that a signal's handler is given.
Sample sample_of(const void* context);

// The signals of ticks and timeouts. Each one's handler runs with the other one held back: what it
// has interrupted would not be seen. Whoever leaves a handler by a switch lets both in again.
sigset_t held_back_signals();
void let_signals_in();

// Has ticks handled; once is enough.
void install_tick_handler();

// For traced programs, at a volatile or atomic access.
void give_way();
[[gnu::always_inline]] inline void give_way_if_spinning() {
  if (turns.gate == Pace::watched) [[unlikely]]
    give_way();
}

}  // namespace cucpu
