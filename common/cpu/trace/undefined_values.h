// Finds values that a shuffle takes from a lane that brings none, and that end up in memory.
//
// A lane that has exited, does not exist or is not in the mask has no value to give; what the
// reader gets is undefined. Reading it is legal, and usual: in a sum over 8 lanes by
// __shfl_down_sync, lanes 4 to 7 read from lanes that are not there, and nobody uses their results.
// So each such value is a mark that nothing else produces: a NaN of its own, or an integer that
// looks random. A lane brings a marked value on if what it brings next is the mark, or what it
// brought before combined with the mark by one operation. Found are marked values in memory that
// the lane has just stored to.
//
// Integers that went through more than one operation on their way are missed, and so are values
// of less than 4 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "findings.h"
#include "observer.h"
#include "rules.h"
#include "worker.h"

namespace cucpu::trace {

// A value that a lane takes from another one in a shuffle.
struct Taken {
  unsigned lane;  // 32: of a group that has no such rank
  bool brought;   // that lane takes part in the shuffle
  unsigned bytes;
  bool is_floating;
};

class UndefinedValues {
 public:
  explicit UndefinedValues(FindingLog& findings) : findings_(findings) {}

  void begin_block();
  // The thread comes to an exchange.
  void bring(const Thread& thread, const Arrival& arrival);
  // It takes `bits` from a lane; returns the bits that it gets.
  std::uint64_t take(const Thread& thread, const Taken& taken, std::uint64_t bits);
  // Whether its stores must be examined.
  bool is_followed(const Thread& thread) const { return lanes_[thread.number].count != 0; }
  // It is about to store, and has done so when it does anything else.
  void store(const Access& access);
  void settle(const Thread& thread) {
    if (stored_.bytes != 0) look_at_stored(thread);
  }

 private:
  // The shuffle and the lanes that a value comes from which no lane brought.
  struct Origin {
    const char* what;
    Site site;
    std::uint32_t mask;
    unsigned thread;
    unsigned lane;  // as in Taken
  };
  struct Marked {
    std::uint64_t bits;
    Origin origin;
  };
  // A lane's part in a shuffle: what it brought, and what it took.
  struct Step {
    std::uint64_t brought, taken;
    unsigned bytes;
    bool is_floating;
    Origin origin;
  };
  struct Lane {
    Arrival arrival{};  // the last one
    bool brings_marked = false;
    Origin origin{};     // if so
    unsigned count = 0;  // of steps with something undefined
    static constexpr unsigned kKept = 4;
    std::array<Step, kKept> steps;  // the last of them
  };
  // Values of a warp's lanes that are undefined.
  struct Warp {
    unsigned count = 0;
    static constexpr unsigned kKept = 64;
    std::array<Marked, kKept> values;  // the last of them
  };

  const Origin* origin_of(unsigned warp, std::uint64_t bits) const;
  // The step that the value comes from, or null.
  static const Step* step_behind(const Lane& lane, std::uint64_t bits, unsigned bytes);
  std::uint64_t new_mark(const Taken& taken);
  void look_at_stored(const Thread& thread);
  void report(const Thread& thread, const Origin& origin);

  FindingLog& findings_;
  std::vector<Lane> lanes_ = std::vector<Lane>(kMaxBlockThreads);
  std::array<Warp, kMaxBlockThreads / kLanes> warps_;
  Access stored_{};                  // 0 bytes: nothing
  std::uint64_t before_atomic_ = 0;  // what was there, if it is an atomic function's
  std::uint64_t marks_ = 0;
  bool is_clean_ = true;  // no lane of the block has taken anything undefined
};

}  // namespace cucpu::trace
