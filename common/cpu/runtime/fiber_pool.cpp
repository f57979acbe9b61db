#include "fiber_pool.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <fstream>

#if !defined(__x86_64__)
#include <boost/context/detail/fcontext.hpp>
#endif
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

#include "shortage.h"

namespace cucpu {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kGuard = 16 * kPage;  // below each stack; wider than most frames
constexpr std::size_t kCacheLine = 64;
// Stacks that all begin at the same offset in a page would fight for the same cache sets.
constexpr std::size_t kStagger = 5 * kCacheLine;

#if defined(__x86_64__)

Context begin_context(char* stack_top, std::size_t, FiberPool::Entry entry) {
  // As after a call: aligned to 16 bytes, less the return address.
  Context context{};
  context.stack_pointer = stack_top - sizeof(void*);
  context.resume_at = reinterpret_cast<void*>(entry);
  return context;
}

#else

namespace context = boost::context::detail;

thread_local FiberPool::Entry entry_of_fibers = nullptr;

// Tells the one who left where it was left.
void hand_over(context::transfer_t arrival) {
  static_cast<Context*>(arrival.data)->stack_pointer = arrival.fctx;
}

void enter(context::transfer_t arrival) {
  hand_over(arrival);
  entry_of_fibers();
}

Context begin_context(char* stack_top, std::size_t bytes, FiberPool::Entry entry) {
  entry_of_fibers = entry;
  Context begun{};
  begun.stack_pointer = context::make_fcontext(stack_top, bytes, enter);
  return begun;
}

#endif

// A guard splits its mapping in two, of which a process may have only so many. Half of them are
// guards' at most; stacks beyond that go without.
std::atomic<long> guards_left = [] {
  long mappings = 65530;
  std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
  return mappings / 4;
}();

bool take_guard() {
  if (guards_left.fetch_sub(1) > 0) return true;
  ++guards_left;
  return false;
}

[[noreturn]] void refuse_stacks(std::size_t bytes) {
  char what[100];
  std::snprintf(what, sizeof what, "the stacks of a block's threads (%zu MiB for each worker)",
                bytes >> 20);
  end_for_shortage(what, "set CUCPU_THREADS to fewer workers");
}

// Valgrind else takes a switch to a stack nearby for a call or a return.
void make_known_to_valgrind(const char* begin, const char* end) {
#ifdef VALGRIND_STACK_REGISTER
  VALGRIND_STACK_REGISTER(begin, end);
#else
  static_cast<void>(begin);
  static_cast<void>(end);
#endif
}

}  // namespace

#if !defined(__x86_64__)
Context& switch_context(Context& from, Context& to) {
  if (&from == &to) return from;  // a round of one thread
#ifdef CUCPU_SANITIZED_STACKS
  leave_stack(from.stack, to.stack);
#endif
  hand_over(context::jump_fcontext(to.stack_pointer, &from));
#ifdef CUCPU_SANITIZED_STACKS
  arrive_on_stack(from.stack);
#endif
  return from;
}
#endif

FiberPool::FiberPool(Entry entry, std::size_t stack_bytes, unsigned capacity)
    : entry_(entry),
      stack_bytes_((stack_bytes + kPage - 1) / kPage * kPage),
      stride_(kGuard + stack_bytes_ + kPage),  // a page for the stagger
      capacity_(capacity) {
  void* memory = mmap(nullptr, stride_ * capacity, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) refuse_stacks(stride_ * capacity);
  memory_ = static_cast<char*>(memory);
  fibers_.resize(capacity + kFibersAhead);
}

FiberPool::~FiberPool() {
#ifdef CUCPU_SANITIZED_STACKS
  for (unsigned f = 0; f < size_; ++f) end_stack(fibers_[f].context.stack);
#endif
  munmap(memory_, stride_ * capacity_);
  guards_left += guards_;
}

Fiber* FiberPool::make() {
  char* const bottom = stack_bottom(size_);
  if (take_guard()) {
    ++guards_;
    mprotect(bottom, kGuard, PROT_NONE);
  }
  make_known_to_valgrind(bottom + kGuard, bottom + stride_);
  Fiber& fiber = fibers_[size_++];
  start(fiber);
  return &fiber;
}

char* FiberPool::stack_top(const Fiber& fiber) const {
  const std::size_t number = static_cast<std::size_t>(&fiber - fibers_.data());
  return stack_bottom(number) + stride_ - number * kStagger % kPage;
}

std::uintptr_t FiberPool::depth(const Fiber& fiber, std::uintptr_t address) const {
  return reinterpret_cast<std::uintptr_t>(stack_top(fiber)) - address;
}

bool FiberPool::can_read_stacks() {
#if defined(CUCPU_SANITIZED_STACKS)
  return false;
#elif defined(RUNNING_ON_VALGRIND)
  return RUNNING_ON_VALGRIND == 0;
#else
  return true;
#endif
}

void FiberPool::start(Fiber& fiber) {
  Context begun = begin_context(stack_top(fiber), stack_bytes_, entry_);
#ifdef CUCPU_SANITIZED_STACKS
  begun.stack = fiber.context.stack;
  begin_stack(begun.stack, stack_top(fiber), stack_bytes_);
#endif
  fiber.context = begun;
  fiber.exchange = nullptr;
}

void FiberPool::restart_all() {
  for (unsigned f = 0; f < size_; ++f) start(fibers_[f]);
}

bool FiberPool::is_guard(const void* address) const {
  const char* a = static_cast<const char*>(address);
  if (a < memory_ || a >= memory_ + stride_ * capacity_) return false;
  return static_cast<std::size_t>(a - memory_) % stride_ < kGuard;
}

}  // namespace cucpu
