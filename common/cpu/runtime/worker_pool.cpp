#include "worker_pool.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "driver_types.h"
#include "report.h"
#include "settings.h"
#include "state.h"
#include "worker.h"

namespace cucpu {
namespace {

constexpr std::chrono::seconds kWatchInterval{1};

// A thread of the host that can run blocks keeps one Worker, with its stacks, for good.
Worker& worker_of_this_thread() {
  thread_local const std::unique_ptr<Worker> worker = std::make_unique<Worker>();
  prepare_thread_for_faults();
  return *worker;
}

}  // namespace

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : helpers_) t.join();
  if (watchdog_.joinable()) watchdog_.join();
}

// Blocks that meet in grid barriers must all be there at once: each gets a worker of its own.
std::size_t WorkerPool::workers_for(const Grid& grid) const {
  if (grid.config.cooperative) return grid.block_count;
  return std::min<std::uint64_t>(grid.block_count, static_cast<std::uint64_t>(settings().workers));
}

void WorkerPool::run(Grid& grid) {
  const std::lock_guard one_launch_at_a_time(launch_mutex_);
  const std::size_t wanted = workers_for(grid);
  {
    const std::lock_guard lock(mutex_);
    if (!watchdog_.joinable() && settings().timeout_seconds != 0)
      watchdog_ = std::thread([this] { watch(); });
    while (helpers_.size() + 1 < wanted)
      helpers_.emplace_back([this, index = helpers_.size()] { help(index); });
    grid_ = &grid;
    helping_ = running_ = wanted - 1;
    launcher_ = pthread_self();
    ++generation_;
  }
  if (wanted > 1) wake_.notify_all();
  worker_of_this_thread().run(grid);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return running_ == 0; });
  grid_ = nullptr;
}

void WorkerPool::reinforce(Grid& grid) {
  const auto resident =
      static_cast<std::size_t>(max_resident_blocks(grid.block_threads, grid.config.shared_bytes));
  const std::lock_guard lock(mutex_);
  if (grid_ != &grid || !grid.has_blocks_left() || helping_ + 1 >= resident) return;
  if (helpers_.size() == helping_)
    helpers_.emplace_back([this, index = helpers_.size()] { help(index); });
  ++helping_;
  ++running_;
  wake_.notify_all();
}

void WorkerPool::help(std::size_t index) {
  Worker& worker = worker_of_this_thread();
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || (generation_ != seen && index < helping_); });
    if (stop_) return;
    seen = generation_;
    Grid* const grid = grid_;
    lock.unlock();
    worker.run(*grid);
    lock.lock();
    if (--running_ == 0) done_.notify_all();
  }
}

// Ends launches in which no block ends: blocks that wait for a block that has no worker would go on
// for ever.
void WorkerPool::watch() {
  const auto limit = std::chrono::seconds(settings().timeout_seconds);
  std::uint64_t serial = 0;
  std::uint64_t finished = 0;
  auto since = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::min(limit, kWatchInterval), [this] { return stop_; })) {
    const auto now = std::chrono::steady_clock::now();
    const bool progress =
        grid_ == nullptr || grid_->serial != serial || grid_->finished_blocks() != finished;
    if (progress) {
      since = now;
      serial = grid_ == nullptr ? 0 : grid_->serial;
      finished = grid_ == nullptr ? 0 : grid_->finished_blocks();
    } else if (now - since >= limit) {
      end_launch();
      since = now;
    }
  }
}

// Workers that run a block are interrupted; those that wait for other blocks wake up.
void WorkerPool::end_launch() {
  grid_->fail(cudaErrorLaunchTimeout);
  pthread_kill(launcher_, timeout_signal());
  for (std::size_t i = 0; i < helping_; ++i)
    pthread_kill(helpers_[i].native_handle(), timeout_signal());
}

WorkerPool& worker_pool() {
  static WorkerPool pool;
  return pool;
}

}  // namespace cucpu
