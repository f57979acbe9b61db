// Which memory an address is of, for the CUDA threads of the block that a worker runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device_heap.h"
#include "program_image.h"
#include "trace.h"

namespace cucpu {
class FiberPool;
}

namespace cucpu::trace {

class Spaces {
 public:
  Spaces();

  void begin_launch(const FiberPool& fibers);
  void begin_block() { static_ = {}; }
  void add_shared(Extent variable);

  // Memory that is neither global nor shared is local: the thread's own, or the host's.
  Space of(std::uintptr_t address) {
    if (dynamic_.contains(address) || static_.contains(address)) return Space::shared;
    return is_global(address) || in_device_heap(address) ? Space::global : Space::local;
  }
  // Whether all addresses from the first to the last are in this space, if that is easy to tell;
  // else false.
  bool has_all(Space space, std::uintptr_t first, std::uintptr_t last) const {
    const auto contains_both = [&](const Extent& extent) {
      return extent.contains(first) && extent.contains(last);
    };
    return space == Space::shared ? contains_both(static_) || contains_both(dynamic_)
                                  : space == Space::global && contains_both(near(first));
  }
  // On a stack of a CUDA thread.
  bool is_on_stack(std::uintptr_t address) const { return stacks_.contains(address); }
  // An allocation, or a variable of the program.
  bool is_global(std::uintptr_t address) {
    return near(address).contains(address) || find_global(address);
  }
  // Allocations and variables of the program, by address.
  const std::vector<Extent>& global() const { return global_; }
  // The block's shared variables, from first to last, and all that a launch may have besides.
  const Extent& static_shared() const { return static_; }
  const Extent& dynamic_shared() const { return dynamic_; }

 private:
  const Extent& near(std::uintptr_t address) const { return near_[address / kNearBytes % kNear]; }
  bool find_global(std::uintptr_t address);

  Extent stacks_;
  const Extent dynamic_;
  Extent static_;
  std::vector<Extent> global_;
  // A cache of global_: for each part of memory, the extent that was accessed last.
  static constexpr std::size_t kNear = 256;
  static constexpr std::size_t kNearBytes = 4096;
  std::array<Extent, kNear> near_;
};

}  // namespace cucpu::trace
