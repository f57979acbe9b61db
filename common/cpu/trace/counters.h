// Counts requests, sectors, wavefronts and synchronization (cucpu/trace.h) by source line.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "access_log.h"
#include "cucpu/trace.h"
#include "requests.h"
#include "trace.h"

namespace cucpu::trace {

// What was counted at one place.
struct Tally {
  Counters counters;
  Site site;  // where it is known; else the place is an instruction
};

// What one request comes to.
struct Cost {
  AccessCount access;
  AccessCount load;  // those that an atomic function makes besides
};

// The last request of a full warp at one place: most are like it, but for a whole number of
// sectors, or of words of shared memory, by which all addresses have moved, and then cost the same.
class LikeTheLast {
 public:
  // Whether this request is; if not, it is the last from now on, and `cost` is to be set.
  bool check(const Request& request, Space space) {
    // Words that move by as many banks are in each other's way as they were.
    const std::uintptr_t unit = space == Space::global ? kSectorBytes : kWordBytes;
    const std::uintptr_t base = request.address[0] / unit * unit;
    const unsigned kind = request.bytes << 2 | request.load << 1 | (space == Space::global);
    std::uintptr_t difference = kind ^ kind_;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      difference |= (request.address[lane] - base) ^ offset_[lane];
    if (difference == 0) return true;
    kind_ = kind;
    for (unsigned lane = 0; lane < kLanes; ++lane) offset_[lane] = request.address[lane] - base;
    return false;
  }
  Cost cost;

 private:
  unsigned kind_ = 0;
  std::array<std::uintptr_t, kLanes> offset_{};
};

// Asynchronous copies: a warp's load is counted just before its store.
class CopySource {
 public:
  // Where what the access stores comes from (kLanes); null if it is no copy's store, or lanes came
  // to load and to store in different company.
  const std::uintptr_t* of(const WarpAccess& access);

 private:
  std::uintptr_t code_ = 0;
  std::uint32_t lanes_ = 0;
  std::array<std::uintptr_t, kLanes> address_;
};

using Tallies = std::unordered_map<std::uintptr_t, Tally>;  // by instruction, or by number of site

// The part of a launch that one worker ran.
class CountingTool final : public Tool {
 public:
  CountingTool();
  void begin_block(unsigned threads) override;
  void resume(const Thread& thread) override { requests_.resume(thread); }
  void access(const Thread&, const Access& access) override {
    requests_.add(access.code, access.bytes, access.kind, access.space, access.way, access.address);
  }
  void arrive(const Thread& thread, const Arrival& arrival) override;
  void exit_thread(const Thread&) override { requests_.exit_thread(); }
  // Adds what was counted to that of all workers.
  void end_launch(bool failed) override;
  // Of the first block, if it is wanted and this worker runs it; else null.
  AccessLog* log() { return logs_ ? &log_ : nullptr; }

 private:
  struct Process {
    CountingTool* tool;
    void operator()(const WarpAccess& access) const { tool->count(access); }
  };
  struct Place {
    Arrival arrival;
    std::uintptr_t code;
  };

  // What was used last of those whose places have the same low bits.
  struct Recent {
    std::uintptr_t code = 0;
    Tally* tally = nullptr;
    LikeTheLast last;
  };
  static constexpr unsigned kRecentBits = 10;
  Recent& recent_of(std::uintptr_t code);
  void count(const WarpAccess& access);
  const Place& place_of(const Arrival& arrival);

  Requests<Process> requests_;
  CopySource copy_source_;
  Tallies tallies_;
  std::array<Recent, std::size_t{1} << kRecentBits> recent_;
  std::vector<Place> places_;       // of arrivals
  std::vector<unsigned> barriers_;  // that each thread of the block has come to
  unsigned block_barriers_ = 0;     // that any thread has come to
  bool logs_ = false;               // in this block
  AccessLog log_;
};

bool is_counting();
// All workers have ended the launch.
void end_counted_launch(const Grid& grid);

}  // namespace cucpu::trace
