// The switch from one CUDA thread to another, and the first of the two places where it is worth
// inlining into the kernel: a block barrier. (The other is an exchange, exchange.h.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cucpu/dim3.h"
#include "cucpu/execution.h"
#include "cucpu/sanitized.h"
#include "cucpu/site.h"

extern constinit thread_local CUCPU_INDEX uint3 threadIdx;
extern constinit thread_local CUCPU_INDEX dim3 blockDim;

namespace cucpu {

struct WarpExchange;
struct Exchange;

#if defined(__x86_64__)

// The place where a fiber stopped. Everything else that it needs lies on its stack.
struct Context {
  void* stack_pointer;
  void* frame_pointer;
  void* resume_at;
#ifdef CUCPU_SANITIZED_STACKS
  SanitizedStack stack{};
#endif
};

#if defined(__AVX512F__)
#define CUCPU_AVX512_REGISTERS                                                                  \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",   \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", \
      "k7"
#else
#define CUCPU_AVX512_REGISTERS
#endif

// Leaves the running context, which is kept in `from`, for `to`; comes back when somebody switches
// to `from`, and returns that. The result is in the register where the one who switched back has
// it: the processor need not wait until it has been loaded from this context's own stack. The
// compiler takes every register for lost, so that just what the kernel still needs is saved. There
// is no call and no return in it: Boost.Context's jump, which is called but not returned from,
// makes the processor mispredict each later return, at four times the cost.
[[gnu::always_inline]] inline Context& switch_context(Context& from, Context& to) {
#ifdef CUCPU_SANITIZED_STACKS
  leave_stack(from.stack, to.stack);
#endif
  Context* save = &from;
  Context* load = &to;
  asm volatile(
      "movq %%rsp, 0(%[save])\n\t"
      "movq %%rbp, 8(%[save])\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rax, 16(%[save])\n\t"
      "movq 0(%[load]), %%rsp\n\t"
      "movq 8(%[load]), %%rbp\n\t"
      "jmp *16(%[load])\n"
      "1:"
      : [save] "+D"(save), [load] "+S"(load)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)",
        "st(6)", "st(7)", "memory", "cc" CUCPU_AVX512_REGISTERS);
#ifdef CUCPU_SANITIZED_STACKS
  arrive_on_stack(load->stack);
#endif
  return *load;
}
#undef CUCPU_AVX512_REGISTERS

#else  // Boost.Context knows the other processors.

struct Context {
  void* stack_pointer;  // as Boost.Context tells contexts apart
#ifdef CUCPU_SANITIZED_STACKS
  SanitizedStack stack{};
#endif
};
Context& switch_context(Context& from, Context& to);

#endif

// A stack, and the CUDA thread of the running block that has it.
struct Fiber {
  Context context;
  Fiber* next;                   // the thread after this one, where threads run in lockstep
  const WarpExchange* exchange;  // that the thread took part in last
  uint3 index;                   // its threadIdx
  unsigned thread;               // the same as one number
};
static_assert(std::is_standard_layout_v<Fiber>);  // a fiber begins with its context

// How the threads of a block take turns.
enum class Pace : std::uint8_t {
  plain,       // one after the other, each to its end: nobody has waited yet
  lockstep,    // round and round in ascending order, each until it waits
  exchanging,  // in lockstep, with lanes of the current warp waiting for the others of it
  leaving,     // in lockstep, but so far every thread of this round has exited
  free,        // any that can run: a thread has behaved differently from those before it
  watched,     // none of these: see Turns::gate
};

// The turn-taking of the block that this worker runs.
struct Turns {
  Pace pace;
  // The pace, as the parts of turn-taking that are inlined into the kernel read it; or `watched`,
  // which sends them all to the runtime. While it stays `watched`, the thread has run nothing but
  // its kernel's own code (runtime/preemption.h).
  Pace gate;
  Fiber* current;     // whose turn it is
  Fiber* first;       // of the round; it and `last` count in lockstep and while threads leave
  Fiber* last;        // of the round
  Site barrier_site;  // the barrier at which threads wait, or waited last
  const char* barrier_what;
  Exchange* exchange;    // that is under way, while lanes are exchanging
  Fiber* last_lane;      // the one that completes it
  std::uint64_t launch;  // a number that differs for every launch
  bool whole_block;      // the kernel runs all threads itself: see begin_whole_block()
  bool one_by_one;       // it must not: see Worker::run_block_again()
  // From each of the three places of a stack that a barrier fetches ahead to the next: a line of
  // the cache, or nothing if the kernel keeps little on its stack.
  std::ptrdiff_t lines_apart;
};
extern constinit thread_local Turns turns;

// linear_thread() of the thread that runs; quicker where it has a fiber, which knows.
inline unsigned running_thread() {
  return turns.pace == Pace::plain ? linear_thread() : turns.current->thread;
}

// Every inlined part reads the gate first, and anew: its thread may have lost its turn at any
// instruction before. If the gate is open, only this thread has run, and everything else that the
// compiler has read of `turns` still holds.
[[gnu::always_inline]] inline Pace gate_of_now() {
  return const_cast<const volatile Pace&>(turns.gate);
}

// Any barrier, of any block.
void wait_at_barrier(const char* what, Site site);

// A round over a block's stacks takes more than the first cache holds, so a stack is fetched some
// turns before its own. Fibers lie one after the other, mostly in the order of the round.
constexpr int kFibersAhead = 5;
[[gnu::always_inline]] inline const char* prefetch_stack_ahead(const Fiber* me) {
  const auto* const stack = static_cast<const char*>(me[kFibersAhead].context.stack_pointer);
  __builtin_prefetch(stack);
  return stack;
}

// The next fiber of the round runs, until this one's turn comes again. The store afterwards changes
// nothing. It tells the compiler what the next part of the kernel will ask for, the current fiber,
// which then stays in a register.
[[gnu::always_inline]] inline Fiber* switch_to_next(Turns& t, Fiber* me) {
  Fiber* const next = me->next;
  t.current = next;
  Fiber* const again = reinterpret_cast<Fiber*>(&switch_context(me->context, next->context));
  t.current = again;
  return again;
}

// __syncthreads(). In lockstep, all threads before the current one wait at the block's barrier. So
// an arrival is only the switch to the next of the round; after the last, that is the first again.
#ifdef CUCPU_TRACED
// The runtime tells those who watch the block.
[[gnu::always_inline]] inline void block_barrier_inlined(const char* what, Site site) {
  wait_at_barrier(what, site);
}
#else
[[gnu::always_inline]] inline void block_barrier_inlined(const char* what, Site site) {
  Turns& t = turns;
  Fiber* const me = t.current;
  if (gate_of_now() != Pace::lockstep) [[unlikely]] {
    wait_at_barrier(what, site);
    t.current = me;  // no change, but the compiler does not know
    return;
  }
  if (t.barrier_site.line != site.line || t.barrier_site.file != site.file) [[unlikely]] {
    if (me != t.first) {
      wait_at_barrier(what, site);
      t.current = me;
      return;
    }
    t.barrier_site = site;
    t.barrier_what = what;
  }
  const char* const stack = prefetch_stack_ahead(me);
  __builtin_prefetch(stack + t.lines_apart);
  __builtin_prefetch(stack + 2 * t.lines_apart);
  threadIdx = switch_to_next(t, me)->index;
}

// A kernel that can run the threads of a block itself (lower/whole_blocks.h) asks whether to do
// so now: where nobody has waited yet, and the first thread begins.
[[gnu::always_inline]] inline bool begin_whole_block() {
  Turns& t = turns;
  const bool is_first = (threadIdx.x | threadIdx.y | threadIdx.z) == 0;
  if (t.pace != Pace::plain || !is_first || t.one_by_one) return false;
  t.whole_block = true;
  return true;
}

// All threads have run. The last one's end is that of the block, and the runtime's to deal with.
[[gnu::always_inline]] inline void end_whole_block() {
  threadIdx = {blockDim.x - 1, blockDim.y - 1, blockDim.z - 1};
  turns.gate = Pace::watched;
}

// The end of a CUDA thread that is neither the first of its round to exit, nor the last. True: its
// fiber has another thread of the same launch to run. False: it has one of another launch.
[[gnu::always_inline]] inline bool leave_inlined(Fiber* me) {
  Turns& t = turns;
  const std::uint64_t launch = t.launch;
  prefetch_stack_ahead(me);
  Fiber* const again = switch_to_next(t, me);
  if (t.pace != Pace::plain) threadIdx = again->index;
  return t.launch == launch;
}
#endif

}  // namespace cucpu
