#include "block_spin_watch.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "cucpu/execution.h"
#include "fiber_pool.h"
#include "shared_memory.h"

namespace cucpu {
namespace {

constexpr unsigned kMostRepeats = 4;      // states that a block may come back to in a row
constexpr unsigned kMostLooks = 64;       // in vain, before another thread is watched
constexpr std::size_t kMostBytes = 4096;  // of a shared variable

class Hash {
 public:
  void add(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 29;
  }
  void add(const char* begin, const char* end) {
    for (; end - begin >= static_cast<std::ptrdiff_t>(sizeof(std::uint64_t));
         begin += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, begin, sizeof word);
      add(word);
    }
    for (; begin < end; ++begin) add(static_cast<unsigned char>(*begin));
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace

void BlockSpinWatch::begin_watch(unsigned thread) {
  thread_ = thread;
  met_ = false;
  last_running_ = 0;
  looks_ = state_count_ = repeated_ = 0;
}

// If threads run in turn, the watched one is the first of its warp: if one runs that comes
// before the one that ran at an earlier look, a new round has begun.
bool BlockSpinWatch::has_run(unsigned running, bool in_turn) {
  const bool same_warp = running / warpSize == thread_ / warpSize;
  const bool new_round = in_turn && same_warp && running < last_running_;
  if (same_warp) last_running_ = running;
  return std::exchange(met_, false) || new_round;
}

bool BlockSpinWatch::look(const Fiber& watched, const FiberPool& fibers, unsigned running,
                          bool in_turn) {
  if (running == thread_ || !has_run(running, in_turn)) {
    if (++looks_ == kMostLooks) thread_ = kNone;
    return false;
  }
  looks_ = 0;
  Hash hash;
  const auto* const stack = static_cast<const char*>(watched.context.stack_pointer);
  hash.add(stack, fibers.stack_top(watched));
  for_each_shared_variable([&](const void* variable, std::size_t bytes) {
    const auto* const begin = static_cast<const char*>(variable);
    hash.add(begin, begin + std::min(bytes, kMostBytes));
  });
  const auto end = states_.begin() + std::min<std::size_t>(state_count_, states_.size());
  const bool was_there = std::find(states_.begin(), end, hash.value()) != end;
  states_[state_count_++ % states_.size()] = hash.value();
  repeated_ = was_there ? repeated_ + 1 : 0;
  return repeated_ >= kMostRepeats;
}

}  // namespace cucpu
