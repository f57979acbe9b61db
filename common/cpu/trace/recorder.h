// The observer of a worker that runs traced kernels: receives their accesses, and tells the tools.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "checked_memory.h"
#include "counters.h"
#include "cucpu/execution.h"
#include "device_heap.h"
#include "findings.h"
#include "memory_checker.h"
#include "observer.h"
#include "program_image.h"
#include "race_checker.h"
#include "settings.h"
#include "shared_layout.h"
#include "trace.h"

namespace cucpu::trace {

class Recorder final : public Observer {
 public:
  Recorder();

  void begin_launch(const Grid& grid, const FiberPool& fibers) override;
  void begin_block() override;
  void shared_variable(const void* variable, std::size_t bytes) override;
  void arrive(const Arrival& arrival) override;
  void exit_thread() override;
  void copy(void* to, std::size_t to_bytes, const void* from, std::size_t bytes,
            const void* code) override;
  void copied(void* to, std::size_t to_bytes, const void* code) override;
  void fence(bool for_block_only) override;
  void block_met() override;
  void lanes_met(unsigned warp, std::uint32_t mask, const char* what) override;
  void grid_met() override;
  void end_block() override;
  void end_launch(bool failed) override;

  // The thread that runs is about to use an index that is out of bounds.
  void bad_index(const BadIndex& bad) {
    if (bad_index_.array != nullptr) settle_bad_index(0);
    if (checks_) bad_index_ = bad;
  }
  // The atomic access that was reported last has been executed.
  void end_atomic() {
    if (races_ != nullptr) races_->end_atomic();
  }
  // A traced access. What is neither global nor shared memory is the thread's own, or the host's.
  [[gnu::always_inline]] void access(Kind kind, const void* pointer, unsigned bytes,
                                     const void* code, bool must_be_aligned, Way way = Way::plain) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (stacks_.contains(address)) return;
    Access event{Space::global,
                 kind,
                 address,
                 bytes,
                 must_be_aligned,
                 reinterpret_cast<std::uintptr_t>(code),
                 way};
    if (checks_) {
      std::size_t position = 0;
      if (!check_memory(event, position)) return;
      if (races_ != nullptr) check_race(event, position);
    } else if (dynamic_.contains(address) || static_.contains(address)) {
      event.space = Space::shared;
    } else if (!is_global(address) && !is_in_device_heap(address)) {
      return;
    }
    count(event);
  }

 private:
  using ByteState = checked_memory::ByteState;

  [[gnu::always_inline]] void count(const Access& event) {
    if (!counts_) return;
    if (!running_) [[unlikely]]
      begin_sequence();
    counting_.access(thread_, event);
  }

  // Whether the access makes sense, and is of memory that threads share. Sets its space, and, of
  // shared memory, its position.
  [[gnu::always_inline]] bool check_memory(Access& event, std::size_t& position) {
    if (bad_index_.array != nullptr) [[unlikely]]
      settle_bad_index(is_shared(event.address) ? event.code : 0);
    position = shared_.position(event.address);
    if (position != SharedLayout::kNowhere) {
      event.space = Space::shared;
      return memory_checker_.check(event, shared_.states(position));
    }
    const std::size_t offset = event.address - arena_.begin;
    if (offset < arena_.bytes) return memory_checker_.check(event, arena_.states + offset);
    if (is_global(event.address)) return true;
    check_elsewhere(event);
    return false;
  }
  [[gnu::noinline]] void check_elsewhere(Access event);
  [[gnu::always_inline]] void check_race(const Access& event, std::size_t position) {
    if (!running_) [[unlikely]]
      begin_sequence();
    if (event.space == Space::shared)
      races_->access_shared(event, position);
    else
      races_->access_global(event);
  }
  void settle_bad_index(std::uintptr_t next);
  // Or just beside it.
  bool is_shared(std::uintptr_t address) const {
    return shared_.position(address) != SharedLayout::kNowhere;
  }
  void begin_sequence();
  void end_sequence();

  bool is_global(std::uintptr_t address) {
    const Extent& near = near_[address / kNearBytes % kNear];
    return near.contains(address) || find_global(address);
  }
  bool find_global(std::uintptr_t address);

  const Tools tools_;
  const bool checks_;
  bool counts_ = false;  // in this launch
  FindingLog findings_;
  CountingTool counting_;
  MemoryChecker memory_checker_;
  SharedLayout shared_;
  std::unique_ptr<RaceChecker> races_;  // null: not wanted

  BadIndex bad_index_{};
  Thread thread_{};
  bool running_ = false;  // `thread_` is the one that runs
  Extent stacks_;
  Extent dynamic_;                 // shared memory that a launch may have
  std::size_t dynamic_bytes_ = 0;  // that this one has
  Extent static_;                  // of the block's static shared variables, from first to last
  checked_memory::Arena arena_;

  // Allocations by address, and those that hold what was accessed last in each part of memory.
  std::vector<Extent> global_;
  static constexpr std::size_t kNear = 256;
  static constexpr std::size_t kNearBytes = 4096;
  std::array<Extent, kNear> near_;
};

}  // namespace cucpu::trace
