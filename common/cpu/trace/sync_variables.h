// Variables in global memory by which threads of different blocks tell each other that they have
// got somewhere: what is known to whom looks at them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "knowledge.h"

namespace cucpu::trace {

// Safe to use from all workers.
class SyncVariables {
 public:
  static SyncVariables& instance();

  // A launch begins, and nothing is known.
  void clear();
  // Whether anything has been released. As long as nothing has, acquire() costs next to nothing.
  bool any() const { return any_.load(std::memory_order_acquire); }
  // Whoever looks at the variable from now on will know this.
  void release(std::uintptr_t variable, std::uint32_t block, const KnownOfBlock& of_block,
               const Knowledge& of_others);
  Knowledge acquire(std::uintptr_t variable);

 private:
  static constexpr std::size_t kParts = 64;
  struct alignas(64) Part {
    std::mutex mutex;
    std::unordered_map<std::uintptr_t, Knowledge> variables;
  };
  Part& part_of(std::uintptr_t variable) { return parts_[variable / 4 % kParts]; }

  std::atomic<bool> any_{false};
  std::array<Part, kParts> parts_;
};

}  // namespace cucpu::trace
