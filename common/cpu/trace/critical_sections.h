// Critical sections: a thread takes a lock by an atomicCAS() that changes it, and gives it back by
// another atomic function that restores its value.
//
// Both fences must be there, whichever thread happens to come first: one after taking the lock, one
// before giving it back. So a missing fence is reported whether other threads come before this one
// or after it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "access_history.h"
#include "happens_before.h"
#include "trace.h"

namespace cucpu::trace {

// Those of a block.
class CriticalSections {
 public:
  // Two accesses that are in an order if the second thread comes to a fence before it gives the
  // lock back.
  struct Suspect {
    Word* word;
    Mark mark;
    Space space;
    unsigned fences;  // of those that would do, how many there were
  };
  struct Lock {
    std::uintptr_t variable;
    std::uint64_t free;      // its value when nobody has the lock
    Knowledge known_before;  // to the thread
    Knowledge learnt;        // with the lock
  };

  bool empty() const { return of_thread_.empty(); }
  void begin_block() { of_thread_.clear(); }
  bool has(unsigned thread) const { return of_thread_.contains(thread); }

  void enter(unsigned thread, Lock lock);
  // Whether a fence would still come before all accesses of some section of the thread.
  bool is_watched(unsigned thread) const;
  void access(unsigned thread);
  void fence(unsigned thread, bool for_block_only);

  // Another thread made a conflicting access, of which the running thread knows. A suspect if it
  // does so by a lock that it has.
  void suspect(unsigned thread, const Mark::Side& other, std::uint32_t stamp, Suspect suspect);
  // The thread gives the lock back, if it is one. Returns who may learn from that, and appends the
  // suspects that no fence has come after.
  HappensBefore::Scope leave(unsigned thread, std::uintptr_t variable, std::uint64_t value,
                             std::vector<Suspect>& suspects);

 private:
  struct Section {
    Lock lock;
    bool accessed = false;
    HappensBefore::Scope fenced{false, false};  // before that
    unsigned fences = 0, device_fences = 0;     // in all
    std::vector<Suspect> suspects;

    unsigned fences_for(const Mark& mark) const {
      return mark.side[0].who.block == mark.side[1].who.block ? fences : device_fences;
    }
  };
  static constexpr std::size_t kMostSections = 4;  // of a thread; atomicCAS() has other uses, too
  static constexpr std::size_t kMostSuspects = 256;

  std::unordered_map<unsigned, std::vector<Section>> of_thread_;
};

}  // namespace cucpu::trace
