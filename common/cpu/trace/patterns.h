// The data of a drawing of a program's requests (CUCPU_DRAW): which patterns of addresses the warps
// of each launch use, how often, and, for a few blocks, every request in its order.
//
// Two requests have one pattern if an instruction makes both, for the same lanes, at addresses that
// lie alike within lines of 128 bytes and relative to each other. Such requests look the same, and
// cost the same. In shared memory, lines are counted from its beginning.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "cucpu/trace.h"
#include "grid.h"
#include "program_image.h"
#include "requests.h"

namespace cucpu::trace {

// An access in the source, as far as instructions tell.
struct AccessKey {
  std::uint64_t operation = 0;  // requests.h
  Space space = Space::global;
  Way way = Way::plain;

  auto operator<=>(const AccessKey&) const = default;
};

struct PatternKey {
  AccessKey access;
  std::uint32_t lanes = 0;
  std::uint32_t units = 0;  // sectors or wavefronts
  // Of lanes that take part, from the beginning of the line that the lowest address is in; else 0.
  std::array<std::uint64_t, kLanes> offset{};

  auto operator<=>(const PatternKey&) const = default;
};

// The place of an address: in which of the launch's allocations and variables (from 0, by address),
// or in the heap of kernels, or the block's shared memory; and how many bytes from its beginning.
struct MemoryPlace {
  static constexpr unsigned kNone = ~0u;  // in the heap, which has no beginning
  static constexpr unsigned kStaticShared = ~1u;
  static constexpr unsigned kDynamicShared = ~2u;
  unsigned memory = kNone;
  std::int64_t offset = 0;
};

// A pattern, with the first request that has it.
struct Pattern {
  PatternKey key;
  std::uint64_t count = 0;
  std::uint64_t block = 0;  // linear
  unsigned warp = 0;
  std::uintptr_t base = 0;  // the address that offsets begin at
  MemoryPlace place;        // of the base
};

// A request of a block that is shown as a whole.
struct ShownRequest {
  unsigned pattern;  // its index in the launch
  std::uintptr_t base;
  MemoryPlace place;
};

struct ShownWarp {
  std::vector<ShownRequest> requests;
  std::uint64_t left_out = 0;  // that came after them
};

struct ShownBlock {
  std::uint64_t block;  // linear
  std::vector<ShownWarp> warps;
};

struct AccessTotal {
  AccessKey access;
  AccessCount count;
};

// All of a launch, or of the part that one worker ran.
struct DrawnLaunch {
  std::string kernel;
  dim3 grid, block;
  std::vector<AccessTotal> totals;    // ascending
  std::vector<Pattern> patterns;      // of each access not more than kMostPatterns, and those shown
  std::vector<ShownBlock> blocks;     // ascending
  std::vector<std::size_t> memories;  // bytes of each
  std::uint64_t times = 1;            // that it was launched, with nothing but addresses different

  std::uint64_t cost() const;  // sectors and wavefronts
};

// The log of one worker.
class PatternLog {
 public:
  void begin_launch(const Grid& grid) { grid_ = &grid; }
  void begin_block(unsigned threads);
  // Adds the accesses of those lanes of the row to one space, with their cost.
  void add(const Row& row, unsigned warp, Space space, std::uint32_t lanes,
           const AccessCount& cost);
  // The block has ended: addresses get their places, in the allocations (`global`, ascending) or
  // from the beginning of the block's shared memory, of static variables or else dynamic.
  void end_block(const std::vector<Extent>& global, const Extent& static_shared,
                 const Extent& dynamic_shared);
  // Hands over what was logged.
  void end_launch();

 private:
  struct Hash {
    std::size_t operator()(const PatternKey& key) const;
  };
  // Its index; kNoPattern if it is one too many, of a block that is not shown.
  static constexpr unsigned kNoPattern = ~0u;
  unsigned find(const PatternKey& key, unsigned warp, std::uintptr_t base);

  const Grid* grid_ = nullptr;
  std::uint64_t block_ = 0;
  ShownBlock* shown_ = nullptr;    // null: not this block
  std::size_t most_requests_ = 0;  // that are shown of a warp
  std::unordered_map<PatternKey, unsigned, Hash> index_;
  std::unordered_map<std::uint64_t, unsigned> patterns_of_;  // by operation
  std::unordered_map<std::uint64_t, std::vector<AccessTotal>> totals_;
  // Moves the patterns of static shared memory to lines that begin where it does.
  void align_shared();
  std::vector<std::size_t> unplaced_;                  // patterns of this block
  std::uintptr_t static_shared_ = ~std::uintptr_t{0};  // the lowest of its addresses, of a word
  DrawnLaunch log_;
};

// All workers have ended the launch.
void end_drawn_launch(const Grid& grid);

struct DrawnLaunches {
  std::vector<DrawnLaunch> launches;  // in order
  std::uint64_t left_out = 0;         // cheaper ones, of which there were too many
};
DrawnLaunches take_drawn_launches();

}  // namespace cucpu::trace
