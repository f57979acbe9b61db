// The switch from one CUDA thread to another, and the first of the two places where it is worth
// inlining into the kernel: a block barrier. (The other is an exchange, exchange.h.)
#pragma once

#include <cstdint>

#include "cucpu/dim3.h"
#include "cucpu/site.h"

extern constinit thread_local CUCPU_INDEX uint3 threadIdx;

namespace cucpu {

struct WarpExchange;
struct Exchange;

#if defined(__x86_64__)

// The place where a fiber stopped. Everything else that it needs lies on its stack.
struct Context {
  void* stack_pointer;
  void* frame_pointer;
  void* resume_at;
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
// to `from`. The compiler takes every register for lost, so that just what the kernel still needs
// is saved. There is no call and no return in it: Boost.Context's jump, which is called but not
// returned from, makes the processor mispredict each later return, at four times the cost.
[[gnu::always_inline]] inline void switch_context(Context& from, const Context& to) {
  Context* save = &from;
  const Context* load = &to;
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
}
#undef CUCPU_AVX512_REGISTERS

#else  // Boost.Context knows the other processors.

struct Context {
  void* boost;
};
void switch_context(Context& from, const Context& to);

#endif

// A stack, and the CUDA thread of the running block that has it.
struct Fiber {
  Context context;
  Fiber* next;                   // the thread after this one, where threads run in lockstep
  const WarpExchange* exchange;  // that the thread took part in last
  uint3 index;                   // its threadIdx
  unsigned thread;               // the same as one number
};

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
  unsigned alive;     // threads that have not exited; not kept at the plain pace
  unsigned arrived;   // of them, at the block's barrier
  Site barrier_site;  // of the first to arrive
  const char* barrier_what;
  Exchange* exchange;    // that is under way, while lanes are exchanging
  std::uint32_t live;    // lanes that it needs
  std::uint64_t launch;  // a number that differs for every launch
};
extern constinit thread_local Turns turns;

// To be called before an inlined part looks at `turns`: its thread may have lost its turn at any
// instruction before, so nothing that the compiler has read earlier counts.
[[gnu::always_inline]] inline Turns& turns_of_now() {
  asm volatile(""
               : "+m"(turns.gate), "+m"(turns.pace), "+m"(turns.arrived), "+m"(turns.alive),
                 "+m"(turns.exchange), "+m"(turns.live));
  return turns;
}

// Any barrier, of any block.
void wait_at_barrier(const char* what, Site site);

// __syncthreads(). In lockstep an arrival is a count, and the switch to the next in the round; when
// the last thread arrives, all are there and the round begins anew.
#ifdef CUCPU_TRACED
// The runtime tells those who watch the block.
[[gnu::always_inline]] inline void block_barrier_inlined(const char* what, Site site) {
  wait_at_barrier(what, site);
}
#else
[[gnu::always_inline]] inline void block_barrier_inlined(const char* what, Site site) {
  Turns& t = turns_of_now();
  if (t.gate != Pace::lockstep) [[unlikely]] {
    wait_at_barrier(what, site);
    return;
  }
  if (t.arrived == 0) {
    t.barrier_site = site;
    t.barrier_what = what;
  } else if (t.barrier_site.line != site.line || t.barrier_site.file != site.file) [[unlikely]] {
    wait_at_barrier(what, site);
    return;
  }
  if (++t.arrived == t.alive) t.arrived = 0;
  Fiber* const me = t.current;
  t.current = me->next;
  switch_context(me->context, me->next->context);
  threadIdx = t.current->index;  // that of `me` again
}

// The end of a CUDA thread that is neither the first of its round to exit, nor the last. True: its
// fiber has another thread of the same launch to run. False: it has one of another launch.
[[gnu::always_inline]] inline bool leave_inlined() {
  Turns& t = turns;
  --t.alive;
  const std::uint64_t launch = t.launch;
  Fiber* const me = t.current;
  t.current = me->next;
  switch_context(me->context, me->next->context);
  if (t.pace != Pace::plain) threadIdx = t.current->index;
  return t.launch == launch;
}
#endif

}  // namespace cucpu
