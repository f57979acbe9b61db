// The observer of a worker that runs traced kernels: receives their accesses, and tells the tools.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "counters.h"
#include "cucpu/execution.h"
#include "observer.h"
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

  // A traced access. What is neither global nor shared memory is the thread's own, or the host's.
  [[gnu::always_inline]] void access(Kind kind, const void* pointer, unsigned bytes,
                                     const void* code) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (address - stacks_.begin < stacks_.bytes) return;
    const bool shared =
        address - dynamic_.begin < dynamic_.bytes || address - static_.begin < static_.bytes;
    if (!shared && !is_global(address)) return;
    if (!running_) [[unlikely]]
      begin_sequence();
    const Access event{shared ? Space::shared : Space::global, kind, address, bytes,
                       reinterpret_cast<std::uintptr_t>(code)};
    counting_.access(thread_, event);
  }

 private:
  struct Extent {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
  };

  void begin_sequence();

  bool is_global(std::uintptr_t address) {
    const Extent& near = near_[address / kNearBytes % kNear];
    return address - near.begin < near.bytes || find_global(address);
  }
  bool find_global(std::uintptr_t address);

  CountingTool counting_;

  Thread thread_{};
  bool running_ = false;  // `thread_` is the one that runs
  Extent stacks_;
  Extent dynamic_;
  Extent static_;  // of the block's static shared variables, from the first to the last
  // Allocations by address, and those that hold what was accessed last in each part of memory.
  std::vector<Extent> global_;
  static constexpr std::size_t kNear = 256;
  static constexpr std::size_t kNearBytes = 4096;
  std::array<Extent, kNear> near_;
};

}  // namespace cucpu::trace
