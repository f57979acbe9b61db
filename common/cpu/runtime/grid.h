// A launch that is under way, shared by the workers that run its blocks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "cucpu/launch.h"

namespace cucpu {

// The number of blocks of a grid, or of threads of a block.
inline std::uint64_t count(dim3 d) { return std::uint64_t{d.x} * d.y * d.z; }

class Grid {
 public:
  // Destroys the closure in the end.
  Grid(const LaunchConfig& config, const Task& task, int workers);
  ~Grid() { task.destroy(task.closure); }
  Grid(const Grid&) = delete;

  const LaunchConfig config;
  const Task task;
  const std::uint64_t serial;  // differs for every launch
  const std::uint64_t block_count;
  const unsigned block_threads;

  // Takes the next few blocks, in ascending order: [begin, end). False if none are left, or if
  // the launch has failed.
  bool take_blocks(std::uint64_t& begin, std::uint64_t& end);
  // Gives back blocks that a worker has taken and not begun.
  void give_back(std::uint64_t begin, std::uint64_t end);
  bool has_blocks_left() const;
  void count_finished_block() { finished_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t finished_blocks() const { return finished_.load(std::memory_order_relaxed); }

  // The first failure counts; the other blocks stop at their next chance.
  void fail(int error);
  // Several workers' blocks nearly always fail in the same way at once: only one says why.
  bool is_first_sync_fault() { return !sync_fault_.exchange(true); }
  bool failed() const { return error_.load(std::memory_order_relaxed) != 0; }
  int error() const { return error_.load(); }

  // For cooperative launches: a block has come. Returns the generation that it waits for the end of.
  std::uint32_t arrive_with_block();
  // Waits until all blocks have come. False if the launch has failed.
  bool wait_for_all_blocks(std::uint32_t generation);

 private:
  const std::uint64_t chunk_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> finished_{0};
  std::atomic<int> error_{0};
  std::atomic<bool> sync_fault_{false};

  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> given_back_;
  std::atomic<bool> any_given_back_{false};
  std::uint64_t here_ = 0;
  std::uint32_t generation_ = 0;
};

}  // namespace cucpu
