// The knowledge that threads of a block have from threads outside their warp and their barrier.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "knowledge.h"

namespace cucpu::trace {

class Learnt {
 public:
  const Knowledge& of(unsigned thread) const {
    if (of_thread_.empty()) return of_block_;
    const auto found = of_thread_.find(thread);
    return found == of_thread_.end() ? of_block_ : found->second;
  }
  void add(unsigned thread, const Knowledge& known) {
    if (known.empty()) return;
    Knowledge sum = known;
    sum.add(of(thread));
    of_thread_[thread] = sum;
  }
  // All threads tell each other.
  void block_met();
  // These lanes do.
  void lanes_met(unsigned warp, std::uint32_t lanes);

 private:
  std::unordered_map<unsigned, Knowledge> of_thread_;  // since the last barrier
  Knowledge of_block_;                                 // before it
};

}  // namespace cucpu::trace
