// The observer of a worker that runs traced kernels: receives their accesses, and tells the tools.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "checked_memory.h"
#include "counters.h"
#include "cucpu/execution.h"
#include "findings.h"
#include "memory_checker.h"
#include "observer.h"
#include "program_image.h"
#include "settings.h"
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
  void end_block() override;
  void end_launch(bool failed) override;

  // The thread that runs is about to use an index that is out of bounds.
  void bad_index(const BadIndex& bad) {
    if (bad_index_.array != nullptr) settle_bad_index(0);
    if (tools_.check()) bad_index_ = bad;
  }
  // A traced access. What is neither global nor shared memory is the thread's own, or the host's.
  [[gnu::always_inline]] void access(Kind kind, const void* pointer, unsigned bytes,
                                     const void* code, bool must_be_aligned, Way way = Way::plain) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (stacks_.contains(address)) return;
    const Access event{Space::global,
                       kind,
                       address,
                       bytes,
                       must_be_aligned,
                       reinterpret_cast<std::uintptr_t>(code),
                       way};
    if (tools_.check())
      check_and_record(event);
    else if (dynamic_.contains(address) || static_.contains(address))
      record(event, Space::shared);
    else if (is_global(address))
      record(event, Space::global);
  }

 private:
  using ByteState = checked_memory::ByteState;

  // A shared variable, or all dynamic shared memory, of the block that runs.
  struct SharedExtent : Extent {
    std::size_t states;  // where those of its bytes begin in `shared_states_`
  };

  void record(Access access, Space space) {
    access.space = space;
    if (!running_) [[unlikely]]
      begin_sequence();
    if (counts_) counting_.access(thread_, access);
  }
  void check_and_record(const Access& access);
  void settle_bad_index(std::uintptr_t next);
  const SharedExtent* find_shared(std::uintptr_t address);
  // Or just beside it.
  bool is_shared(std::uintptr_t address) {
    return find_shared(address) != nullptr || memory_checker_.is_thread_local(address);
  }
  void add_shared_states(std::size_t bytes);
  void begin_sequence();

  bool is_global(std::uintptr_t address) {
    const Extent& near = near_[address / kNearBytes % kNear];
    return near.contains(address) || find_global(address);
  }
  bool find_global(std::uintptr_t address);

  const Tools tools_;
  bool counts_ = false;  // in this launch
  FindingLog findings_;
  CountingTool counting_;
  MemoryChecker memory_checker_;

  BadIndex bad_index_{};
  Thread thread_{};
  bool running_ = false;  // `thread_` is the one that runs
  Extent stacks_;
  Extent dynamic_;                 // shared memory that a launch may have
  std::size_t dynamic_bytes_ = 0;  // that this one has
  Extent static_;  // of the block's static shared variables, from the first to the last

  // Where accesses are checked: the block's shared memory, dynamic memory first.
  std::vector<SharedExtent> shared_;
  std::size_t last_shared_ = 0;  // that was accessed
  std::vector<ByteState> shared_states_;
  checked_memory::Arena arena_;

  // Allocations by address, and those that hold what was accessed last in each part of memory.
  std::vector<Extent> global_;
  static constexpr std::size_t kNear = 256;
  static constexpr std::size_t kNearBytes = 4096;
  std::array<Extent, kNear> near_;
};

}  // namespace cucpu::trace
