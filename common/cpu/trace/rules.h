// The cost of one warp-wide access to a GPU's memory system, by the counting rules of its profiler,
// as measured on an H200 (common/calibration).
#pragma once

#include <cstdint>

#include "cucpu/way.h"

namespace cucpu::trace {

constexpr unsigned kLanes = 32;
constexpr unsigned kSectorBytes = 32;
constexpr unsigned kLineBytes = 128;
constexpr unsigned kBanks = 32;
constexpr unsigned kWordBytes = 4;

// One access of the lanes of a warp: the address of each of the lanes in `lanes`, which all access
// `bytes` bytes (1, 2, 4, 8 or 16).
struct Request {
  std::uint32_t lanes;
  unsigned bytes;
  bool load;
  const std::uintptr_t* address;  // (kLanes), by lane
};

struct GlobalCost {
  unsigned sectors;  // distinct units of 32 bytes
  unsigned bytes;    // distinct bytes
};
GlobalCost global_cost(const Request& request);
// The cost of an atomic function: a sector counts as often as lanes meet at one of its elements.
GlobalCost global_atomic_cost(const Request& request);

struct SharedCost {
  unsigned wavefronts;  // passes over the banks
  unsigned conflicts;   // those of them beyond what the width of the access takes by itself
  unsigned words;       // distinct words
};
SharedCost shared_cost(const Request& request);

// The cost of an asynchronous copy's stores; `from` has the kLanes addresses that it copies. Copies
// of 16 bytes bypass the L1 cache, and count as ordinary stores.
SharedCost copy_cost(const Request& to, const std::uintptr_t* from);

// Lanes that meet at one word, or in one bank, take turns; at one word not where they only count.
struct SharedAtomicCost {
  unsigned rounds;    // of a loop; else 1
  unsigned threads;   // that take part, summed over the rounds
  SharedCost atomic;  // summed over the rounds
  SharedCost load;    // likewise, of a loop
};
// As if no other warp came between.
SharedAtomicCost shared_atomic_cost(const Request& request, Way way);

// As many neighboring lanes as a load or store from shared memory serves together: 32, or fewer
// where each lane takes several words.
unsigned lanes_together(const Request& request);
// The same for stores and atomic functions, to which it makes no difference what lanes share.
unsigned lanes_at_once(const Request& request);
// The lanes that succeed if all compare and swap at once: in each group the first one of each bank,
// unless an earlier group has changed the word.
std::uint32_t first_in_their_banks(const Request& request);

}  // namespace cucpu::trace
