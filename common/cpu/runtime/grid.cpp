#include "grid.h"

#include <algorithm>

namespace cucpu {
namespace {

std::atomic<std::uint64_t> launches{0};

// Few enough blocks at a time that no worker is left with a long rest, many enough that taking
// them costs nothing.
std::uint64_t chunk_size(std::uint64_t blocks, int workers) {
  return std::clamp<std::uint64_t>(blocks / (static_cast<std::uint64_t>(workers) * 16), 1, 64);
}

}  // namespace

Grid::Grid(const LaunchConfig& config_, const Task& task_, int workers)
    : config(config_),
      task(task_),
      serial(++launches),
      block_count(count(config_.grid)),
      block_threads(static_cast<unsigned>(count(config_.block))),
      chunk_(config_.cooperative ? 1 : chunk_size(block_count, workers)) {}

bool Grid::take_blocks(std::uint64_t& begin, std::uint64_t& end) {
  if (failed()) return false;
  if (any_given_back_.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(mutex_);
    if (!given_back_.empty()) {
      begin = given_back_.back().first;
      end = begin + 1;
      if (++given_back_.back().first == given_back_.back().second) given_back_.pop_back();
      any_given_back_ = !given_back_.empty();
      return true;
    }
  }
  begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
  end = std::min(begin + chunk_, block_count);
  return begin < block_count;
}

void Grid::give_back(std::uint64_t begin, std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  given_back_.emplace_back(begin, end);
  any_given_back_ = true;
}

bool Grid::has_blocks_left() const {
  return any_given_back_ || next_.load(std::memory_order_relaxed) < block_count;
}

void Grid::fail(int error) {
  int none = 0;
  error_.compare_exchange_strong(none, error);
  const std::lock_guard lock(mutex_);
  all_here_.notify_all();
}

std::uint32_t Grid::arrive_with_block() {
  const std::lock_guard lock(mutex_);
  const std::uint32_t generation = generation_;
  if (++here_ == block_count) {
    here_ = 0;
    ++generation_;
    all_here_.notify_all();
  }
  return generation;
}

bool Grid::wait_for_all_blocks(std::uint32_t generation) {
  std::unique_lock lock(mutex_);
  all_here_.wait(lock, [&] { return generation_ != generation || failed(); });
  return !failed();
}

}  // namespace cucpu
