// Counts requests, sectors, wavefronts and synchronization (cucpu/trace.h) by source line.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "access_log.h"
#include "cucpu/trace.h"
#include "patterns.h"
#include "requests.h"
#include "spaces.h"
#include "trace.h"

namespace cucpu::trace {

// The counts of one place.
struct Tally {
  Counters counters;
  Site site;  // where it is known; else the place is an instruction
};

// The cost of one request.
struct Cost {
  AccessCount access;
  AccessCount load;  // those that an atomic function makes besides
};

// Requests of full warps for one operation. In most, all addresses have moved by a whole number of
// sectors, or of words of shared memory, since the request before. These cost the same.
class Repeated {
 public:
  // Whether the request is like those before it; if so, it is counted.
  bool add(const Row& row, const Spaces& spaces) {
    if (times_ == 0) return false;
    const std::uintptr_t base = base_of(row);
    std::uintptr_t difference = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      difference |= (row.address[lane] - base) ^ offset_[lane];
    if (difference != 0 || !spaces.has_all(space_, base + lowest_, base + highest_)) return false;
    ++times_;
    return true;
  }
  // The first of others. (After the cost of those so far has been taken.)
  void begin(const Row& row, Space space, const Cost& cost);

  Space space() const { return space_; }
  const Cost& cost() const { return cost_; }  // of each
  std::uint64_t times() const { return times_; }

 private:
  std::uintptr_t base_of(const Row& row) const {
    // Words that move by as many banks are in each other's way as they were.
    const std::uintptr_t unit = space_ == Space::global ? kSectorBytes : kWordBytes;
    return row.address[0] / unit * unit;
  }

  std::uint64_t times_ = 0;
  Space space_ = Space::local;
  std::array<std::uintptr_t, kLanes> offset_{};
  std::uintptr_t lowest_ = 0;  // of the offsets, as signed numbers
  std::uintptr_t highest_ = 0;
  Cost cost_;
};

// Asynchronous copies: a warp's load is counted just before its store.
class CopySource {
 public:
  // The kLanes addresses from which the request's stores come. Null if it is no copy's store, or if
  // other lanes stored together than loaded together.
  const std::uintptr_t* of(const Row& row);

 private:
  std::uintptr_t code_ = 0;
  std::uint32_t lanes_ = 0;
  std::array<std::uintptr_t, kLanes> address_;
};

using Tallies = std::unordered_map<std::uintptr_t, Tally>;  // by instruction, or by number of site

// The part of a launch that one worker ran.
class CountingTool {
 public:
  // `alone`: nobody else is to be told of accesses.
  CountingTool(Spaces& spaces, bool alone);
  void begin_launch(const Grid& grid) { patterns_.begin_launch(grid); }
  void begin_block(unsigned threads);
  // The thread begins, or goes on after it has waited.
  void resume(const Thread& thread) { requests_.resume(thread); }
  void suspend() { requests_.suspend(); }
  [[gnu::always_inline]] void access(const Access& access) {
    requests_.add(operation(access.code, access.kind, access.bytes), access.way, access.address);
  }
  void arrive(const Thread& thread, const Arrival& arrival);
  void exit_thread() { requests_.exit_thread(); }
  // Adds what was counted to that of all workers.
  void end_launch();
  // Gives places to what is logged of the block.
  void end_block();

 private:
  struct Process {
    CountingTool* tool;
    void operator()(const Row& row, unsigned warp) const { tool->count(row, warp); }
  };
  struct Place {
    Arrival arrival;
    std::uintptr_t code;

    bool is_of(const Arrival& other) const {
      return arrival.site.line == other.site.line && arrival.site.file == other.site.file &&
             arrival.what == other.what;
    }
  };

  // A cache line of operations: the last one used of those whose numbers share the low bits.
  struct Recent {
    std::uint64_t operation = 0;
    Tally* tally = nullptr;  // null: so far there is nothing to count
    Repeated repeated;
  };
  static constexpr unsigned kRecentBits = 10;
  Recent& recent_of(const Row& row);
  Tally& tally_of(Recent& recent, const Row& row);
  void count(const Row& row, unsigned warp);
  void count_anew(const Row& row, unsigned warp, Recent& recent);
  void add_repeated(Recent& recent);
  const Place& place_of(const Arrival& arrival) {
    // Nearly always the one at which the thread before has arrived.
    if (last_place_ >= places_.size() || !places_[last_place_].is_of(arrival)) [[unlikely]]
      last_place_ = find_place(arrival);
    return places_[last_place_];
  }
  std::size_t find_place(const Arrival& arrival);

  Spaces& spaces_;
  Cursor own_cursor_ = idle_cursor;
  Requests<Process> requests_;
  CopySource copy_source_;
  Tallies tallies_;
  std::array<Recent, std::size_t{1} << kRecentBits> recent_;
  std::vector<Place> places_;  // of arrivals
  std::size_t last_place_ = 0;
  std::vector<unsigned> barriers_;  // that each thread of the block has come to
  unsigned block_barriers_ = 0;     // that any thread has come to
  bool logs_ = false;               // in this block
  AccessLog log_;
  const bool draws_;
  PatternLog patterns_;
};

bool is_counting();
// All workers have ended the launch.
void end_counted_launch(const Grid& grid);

}  // namespace cucpu::trace
