// Takes its turn from a CUDA thread that spins.
//
// A thread may loop until another one writes: `while (*flag == 0);` on a volatile variable, or
// `while (atomicCAS(lock, 0, 1) != 0);`. Such a loop calls nothing, and a kernel without such loops
// must not pay for them. So nothing is added to kernels: while a worker runs blocks, a timer
// interrupts it now and then. A signal's frame holds all registers, and lies on the fiber's own
// stack. So the handler can switch to another fiber, and after the switch back it returns into the
// loop.
//
// That is safe only while neither the runtime nor the C library is at work underneath.
// - Parts of the runtime are inlined into kernels. The first tick sets Turns::gate to `watched`,
//   which sends each of them to the runtime, and the runtime sets it back. At a later tick it is
//   still `watched` only if the thread has run nothing but its kernel's own code since. Anything
//   under way at the first tick is over by then, as the thread has had some processor time.
// - While the runtime is at work, `InRuntime` says so.
// - The interrupted instruction must be in the kernel's own module: no locks of the C library are
//   held there.
//
// A thread spins if it comes back to the same instruction with the same registers. On a busy host a
// thread that is still there may not have run at all: it loses the processor on its way back from
// the handler, and the next tick comes before its first instruction. So it must have been elsewhere
// in between, or be seen there several times without having lost the processor. A thread that runs
// very long without doing so may spin in another way, and loses its turn, too. A traced kernel is
// nearly always in the runtime: it gives up its turn itself when the timer has asked for it, in the
// functions that the compiler calls at volatile and atomic accesses (give_way_if_spinning).
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

  bool operator==(const Sample&) const = default;
};

// Judges from the ticks whether the thread that a worker runs makes progress.
class SpinWatch {
 public:
  enum class Verdict { unknown, runs_long, spins };

  // From here on, the thread has run nothing but its kernel's own code.
  void begin(const Sample& sample);
  // It still does.
  Verdict look(const Sample& sample);
  // Whether it has done so long enough to tell it from a thread that has just left the runtime.
  bool is_settled() const;
  // The time until the next look. `others_spin`: threads of its block have spun lately.
  std::chrono::microseconds next_look(bool is_watched, bool others_spin);

 private:
  using Clock = std::chrono::steady_clock;

  std::array<Sample, 16> samples_;  // the last ones, of which no two in a row are alike
  unsigned count_ = 0;              // of all such
  unsigned looks_ = 0;
  unsigned still_ = 0;  // looks in a row that found the thread where it was, with its processor
  std::chrono::nanoseconds since_{0};
  std::chrono::nanoseconds processor_time_{0};  // of the host's thread, at the last look
  long preemptions_at_look_ = 0;                // of the host's thread, likewise
  long preemptions_ = 0;                        // when next_look() was asked last
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
