// One piece of the work that streams are given: a launch, a copy, a fill, a call of the host's, or
// a mark that says how far a stream has come.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "grid.h"

namespace cucpu {

struct Operation;
using OperationRef = std::shared_ptr<Operation>;

// The properties of an operation's stream that matter to operations of other streams.
struct Line {
  const void* key = nullptr;  // null: the legacy default stream
  bool blocking = true;       // waits for the legacy default stream, and that one for it

  bool is_legacy() const { return key == nullptr; }
  // Whether an operation given to this stream waits for those that the other one was given before.
  bool waits_for(const Line& other) const {
    return key == other.key || (is_legacy() && other.blocking) || (blocking && other.is_legacy());
  }
};

struct Operation {
  // The work: one of the two. A mark has neither.
  std::unique_ptr<Grid> grid;
  std::function<void()> action;
  bool is_short = false;  // the action: any thread that sees that it can be done does it at once
  Line line;

  std::atomic<bool> over = false;

  // The rest is the pool's, guarded by its mutex.
  std::uint64_t number = 0;         // ascending, in the order in which operations were submitted
  std::size_t missing = 0;          // operations that must be over first
  std::vector<OperationRef> after;  // those that wait for this one
  std::size_t joined = 0;           // workers that have come to it so far
  std::vector<pthread_t> workers;   // those of them that are still at it
  bool exhausted = false;           // there is nothing left to take
  std::size_t reinforced_to = 0;    // workers that may come, where blocks wait for others
  std::atomic<bool> begun = false;  // a grid that comes after a fault is never begun

  // A grid's progress, for the watchdog.
  std::uint64_t finished_blocks = 0;
  std::chrono::steady_clock::time_point progress_at{};
};

}  // namespace cucpu
