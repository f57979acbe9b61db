// The observer of a worker that runs traced kernels: receives their accesses, and tells the tools.
#pragma once

#include <memory>
#include <string>

#include "barrier_checker.h"
#include "checked_memory.h"
#include "counters.h"
#include "findings.h"
#include "memory_checker.h"
#include "observer.h"
#include "race_checker.h"
#include "settings.h"
#include "shared_layout.h"
#include "spaces.h"
#include "trace.h"
#include "undefined_values.h"
#include "warp_checker.h"

namespace cucpu::trace {

class Recorder final : public Observer {
 public:
  Recorder();

  void begin_launch(const Grid& grid, const FiberPool& fibers) override;
  void begin_block() override;
  void shared_variable(const void* variable, std::size_t bytes) override;
  void arrive(const Arrival& arrival) override;
  void yield() override;
  void leave_early() override;
  void exit_thread() override;
  void copy(void* to, std::size_t to_bytes, const void* from, std::size_t bytes,
            const void* code) override;
  void copied(void* to, std::size_t to_bytes, const void* code) override;
  void fence(bool for_block_only) override;
  void release(const void* object) override;
  void acquire(const void* object) override;
  void block_met() override;
  void lanes_met(unsigned warp, std::uint32_t mask, const char* what) override;
  std::string how_out_of_step(unsigned warp) const override;
  void grid_met() override;
  void end_block() override;
  void end_launch() override;

  // The thread that runs is about to use an index that is out of bounds.
  bool bad_device_free(std::uintptr_t address, bool was_freed, Site site) override {
    return memory_checker_.report_bad_free(address, was_freed, site);
  }
  void bad_index(const BadIndex& bad) {
    if (bad_index_.array != nullptr) settle_bad_index();
    if (!checks_) return;
    bad_index_ = bad;
    may_repeat_ = false;
  }
  // The atomic access that was reported last has been executed.
  void end_atomic() {
    if (races_ != nullptr) races_->end_atomic();
  }
  // The running thread takes `bits` from a lane of its warp; returns the bits that it gets.
  std::uint64_t take(const Taken& taken, std::uint64_t bits);
  // Whether a traced access needs no work, because its instruction has accessed the same shared
  // memory before without a finding.
  [[gnu::always_inline]] bool is_repeated(const Access& access) {
    if (!may_repeat_) return false;
    const std::size_t position = shared_.near_position(access.address);
    return position != SharedLayout::kNowhere && races_->is_repeated(access, position);
  }
  // A traced access, unless the counting cursor has got it, or it is a repeated one.
  [[gnu::always_inline]] void access(Access event) {
    if (spaces_.is_on_stack(event.address)) return;
    if (checks_) {
      std::size_t position = 0;
      if (follows_) [[unlikely]]
        undefined_values_.settle(thread_);
      if (!check_memory(event, position)) return;
      if (follows_ && event.kind != Kind::load) [[unlikely]]
        undefined_values_.store(event.copy());
      if (races_ != nullptr) check_race(event, position);
    }
    count(event);
  }

 private:
  using ByteState = checked_memory::ByteState;

  [[gnu::always_inline]] void count(const Access& event) {
    if (!counts_) return;
    if (!running_) [[unlikely]]
      begin_sequence();
    counting_.access(event.copy());
  }

  // Whether the access makes sense, and is of memory that threads share. Sets its space, and, of
  // shared memory, its position.
  [[gnu::always_inline]] bool check_memory(Access& event, std::size_t& position) {
    if (bad_index_.array != nullptr) [[unlikely]]
      settle_bad_index_before(event.copy());
    position = shared_.position(event.address);
    if (position != SharedLayout::kNowhere) {
      event.space = Space::shared;
      return memory_checker_.check(event, shared_.states(position));
    }
    const std::size_t offset = event.address - arena_.begin;
    if (offset < arena_.bytes) return memory_checker_.check(event, arena_.states + offset);
    if (spaces_.is_global(event.address)) return true;
    check_elsewhere(event.copy());
    return false;
  }
  [[gnu::noinline]] void check_elsewhere(const Access& event);
  [[gnu::always_inline]] void check_race(const Access& event, std::size_t position) {
    if (!running_) [[unlikely]]
      begin_sequence();
    if (event.space == Space::shared)
      races_->access_shared(event, position);
    else
      races_->access_global(event);
  }
  // The thread accesses memory, which may be what it needs the index for.
  void settle_bad_index_before(const Access& next);
  void settle_bad_index() { memory_checker_.report_bad_index(std::exchange(bad_index_, {}), 0); }
  // Or just beside it.
  bool is_shared(std::uintptr_t address) const {
    return shared_.position(address) != SharedLayout::kNowhere;
  }
  void begin_sequence();
  void end_sequence();
  void arrive_in_warp(const Arrival& arrival);

  const Tools tools_;
  const bool checks_;
  bool counts_ = false;  // in this launch
  FindingLog findings_;
  Spaces spaces_;
  CountingTool counting_;
  MemoryChecker memory_checker_;
  SharedLayout shared_;
  std::unique_ptr<RaceChecker> races_;  // null: not wanted
  BarrierChecker barriers_;
  WarpChecker warp_checker_;
  UndefinedValues undefined_values_;

  BadIndex bad_index_{};
  Thread thread_{};
  bool running_ = false;                  // `thread_` is the one that runs
  bool leaves_early_ = false;             // it has come to a `return;` since it last waited
  bool may_repeat_ = false;               // what it does, without being told of
  bool follows_ = false;                  // it has values that nobody brought
  std::size_t dynamic_shared_bytes_ = 0;  // that this launch has
  checked_memory::Arena arena_;
};

}  // namespace cucpu::trace
