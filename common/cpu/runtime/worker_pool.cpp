#include "worker_pool.h"

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

#include "cucpu/trace.h"
#include "device_printf.h"
#include "driver_types.h"
#include "observer.h"
#include "report.h"
#include "settings.h"
#include "shortage.h"
#include "state.h"
#include "worker.h"

namespace cucpu {
namespace {

constexpr std::chrono::milliseconds kWatchInterval{1000};
constexpr std::chrono::milliseconds kAskAgain{20};  // those that still run after a failure

// A thread that ends, the first one at exit, too, waits without working.
constinit thread_local bool this_thread_ends = false;

struct ThreadsWorker {
  ~ThreadsWorker() { this_thread_ends = true; }
  Worker worker;
};

// A thread of the host that can run blocks keeps one Worker, with its stacks, for good.
Worker& worker_of_this_thread() {
  thread_local const auto owned = std::make_unique<ThreadsWorker>();
  prepare_thread_for_faults();
  return owned->worker;
}

// Workers that can be of use. Blocks that meet in grid barriers must all be there at once: each
// gets a worker of its own.
std::size_t most_workers(const Operation& operation) {
  if (operation.grid == nullptr) return 1;
  const Grid& grid = *operation.grid;
  if (grid.config.cooperative) return grid.block_count;
  const auto workers = static_cast<std::uint64_t>(settings().workers);
  return std::max<std::uint64_t>(std::min(grid.block_count, workers), operation.reinforced_to);
}

// Workers without which it may never end.
std::size_t fewest_workers(const Operation& operation) {
  const bool all = operation.grid != nullptr && operation.grid->config.cooperative;
  return all ? operation.grid->block_count : 1;
}

bool is_open(const Operation& operation) {
  return !operation.exhausted && operation.joined < most_workers(operation);
}

std::size_t missing_workers(const Operation& operation) {
  const std::size_t fewest = fewest_workers(operation);
  return operation.exhausted || operation.joined >= fewest ? 0 : fewest - operation.joined;
}

void run(Operation& operation) {
  if (operation.grid == nullptr) {
    operation.action();
    return;
  }
  Grid& grid = *operation.grid;
  if (const cudaError_t earlier = sticky_error(); earlier != cudaSuccess) grid.fail(earlier);
  if (grid.failed()) return;
  operation.begun = true;
  worker_of_this_thread().run(grid);
}

}  // namespace

void WorkerPool::submit(const OperationRef& operation, std::span<const OperationRef> before) {
  const std::lock_guard lock(mutex_);
  operation->number = ++submitted_;
  for (const OperationRef& other : before) {
    if (other->over) continue;
    other->after.push_back(operation);
    ++operation->missing;
  }
  if (operation->missing == 0) make_ready(operation);
}

void WorkerPool::reinforce(const Grid& grid) {
  const auto resident =
      static_cast<std::size_t>(max_resident_blocks(grid.block_threads, grid.config.shared_bytes));
  const Lock lock(mutex_);
  const auto its = std::find_if(active_.begin(), active_.end(), [&](const OperationRef& operation) {
    return operation->grid.get() == &grid;
  });
  if (its == active_.end() || !grid.has_blocks_left() || (*its)->workers.size() >= resident) return;
  Operation& operation = **its;
  operation.exhausted = false;
  operation.reinforced_to = operation.joined + 1;
  if (idle_ == 0) add_helper();
  wake_.notify_one();
}

void WorkerPool::wait(const OperationRef& operation) {
  if (operation->over) return;
  Lock lock(mutex_);
  while (!operation->over) {
    const OperationRef work = this_thread_ends ? nullptr : find_work_before(*operation);
    if (work != nullptr) {
      work_on(work, lock);
    } else {
      ++waiting_;
      progress_.wait(lock);
      --waiting_;
    }
  }
}

// Nothing is left that it waits for.
void WorkerPool::make_ready(const OperationRef& operation) {
  if (operation->is_short) {
    complete(operation);
    return;
  }
  active_.push_back(operation);
  get_helpers_for(*operation);
  if (waiting_ != 0) progress_.notify_all();
}

namespace {

template <class Work>
void start_thread(Work work) {
  try {
    std::thread(work).detach();
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "error: no further thread of the host to run blocks: %s%s\n", error.what(),
                 address_limit() < std::numeric_limits<std::size_t>::max()
                     ? ": raise the limit of virtual memory (ulimit -v)"
                     : "");
    std::fflush(nullptr);
    std::_Exit(2);
  }
}

}  // namespace

void WorkerPool::get_helpers_for(const Operation& operation) {
  const std::size_t most = most_workers(operation);
  while (helpers_ < std::min(most, static_cast<std::size_t>(settings().workers))) add_helper();
  std::size_t missing = 0;
  for (const OperationRef& other : active_) missing += missing_workers(*other);
  while (idle_ < missing) add_helper();
  if (operation.grid != nullptr && !watched_ && settings().timeout_seconds != 0) {
    watched_ = true;
    start_thread([this] { watch(); });
  }
  if (most >= idle_) {
    wake_.notify_all();
  } else {
    for (std::size_t i = 0; i < most; ++i) wake_.notify_one();
  }
}

// Helpers live as long as the process, and sleep when there is nothing to do.
void WorkerPool::add_helper() {
  start_thread([this] { help(); });
  ++helpers_;
  ++idle_;
}

void WorkerPool::help() {
  Lock lock(mutex_);
  for (;;) {
    if (const OperationRef work = find_work()) {
      --idle_;
      work_on(work, lock);
      ++idle_;
    } else {
      wake_.wait(lock);
    }
  }
}

// Operations that nobody works on come first.
OperationRef WorkerPool::find_work() const {
  for (const OperationRef& operation : active_)
    if (missing_workers(*operation) != 0) return operation;
  for (const OperationRef& operation : active_)
    if (is_open(*operation)) return operation;
  return nullptr;
}

// Work that the target waits for, or the target itself. Anything else may in turn wait for what the
// caller does next.
OperationRef WorkerPool::find_work_before(const Operation& target) const {
  for (const OperationRef& operation : active_)
    if (is_open(*operation) && operation->number <= target.number &&
        target.line.waits_for(operation->line))
      return operation;
  return nullptr;
}

// Takes part in the operation until no part of it is left to take.
void WorkerPool::work_on(const OperationRef& operation, Lock& lock) {
  ++operation->joined;
  operation->workers.push_back(pthread_self());
  operation->progress_at = std::chrono::steady_clock::now();
  lock.unlock();
  run(*operation);
  lock.lock();
  const Grid* const grid = operation->grid.get();
  operation->exhausted = grid == nullptr || grid->failed() || !grid->has_blocks_left();
  std::vector<pthread_t>& workers = operation->workers;
  workers.erase(std::find(workers.begin(), workers.end(), pthread_self()));
  if (workers.empty()) end(operation, lock);
}

void WorkerPool::end(const OperationRef& operation, Lock& lock) {
  std::erase(active_, operation);
  if (operation->grid != nullptr) {
    if (operation->grid->failed()) fail_all(operation->grid->error());
    lock.unlock();
    // Arguments may have destructors, and tools their reports.
    if (trace::is_traced() && operation->begun && observers->wants(*operation->grid))
      observers->end_launch(*operation->grid);
    operation->grid.reset();
    lock.lock();
  }
  complete(operation);
}

// Short ones that follow are done here and now; there may be many in a row.
void WorkerPool::complete(const OperationRef& operation) {
  std::vector<OperationRef> done = {operation};
  while (!done.empty()) {
    const OperationRef last = std::move(done.back());
    done.pop_back();
    if (last->is_short && last->action) last->action();
    last->over = true;
    for (const OperationRef& next : std::exchange(last->after, {})) {
      if (--next->missing != 0) continue;
      if (next->is_short)
        done.push_back(next);
      else
        make_ready(next);
    }
  }
  if (waiting_ != 0) progress_.notify_all();
}

// As on a GPU, a fault ends whatever runs beside it.
void WorkerPool::fail_all(int error) {
  set_sticky_error(static_cast<cudaError_t>(error));
  for (const OperationRef& other : active_)
    if (other->grid != nullptr) other->grid->fail(error);
}

// Ends launches in which no block ends: blocks that wait for a block that has no worker would go on
// for ever.
void WorkerPool::watch() {
  Lock lock(mutex_);
  for (;;) {
    const bool any_failed = std::any_of(active_.begin(), active_.end(), [](const auto& operation) {
      return operation->grid != nullptr && operation->grid->failed();
    });
    lock.unlock();
    const std::chrono::nanoseconds interval = any_failed ? kAskAgain : kWatchInterval;
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(interval);
    // Output of a long launch, which may be all of it that anybody ever sees.
    flush_device_output();
    lock.lock();
    // A process that was stopped (Ctrl-Z) or got no processor could not make progress meanwhile.
    const auto lost = std::chrono::steady_clock::now() - begin - interval;
    for (const OperationRef& operation : active_) {
      operation->progress_at += lost;
      if (operation->grid != nullptr && !operation->workers.empty()) end_if_stuck(*operation);
    }
  }
}

// Interrupts workers that run a block, and wakes those that wait for other blocks. After another
// launch has failed, it does not wait for workers that still spin.
void WorkerPool::end_if_stuck(Operation& operation) {
  const auto now = std::chrono::steady_clock::now();
  Grid& grid = *operation.grid;
  const std::chrono::milliseconds limit =
      grid.failed() ? kAskAgain : std::chrono::seconds(settings().timeout_seconds);
  if (grid.finished_blocks() != operation.finished_blocks) {
    operation.finished_blocks = grid.finished_blocks();
    operation.progress_at = now;
  } else if (now - operation.progress_at >= limit) {
    grid.fail(cudaErrorLaunchTimeout);
    for (const pthread_t worker : operation.workers) pthread_kill(worker, timeout_signal());
    operation.progress_at = now;
  }
}

// Never destroyed: its threads, and destructors of static objects, may still use it.
WorkerPool& worker_pool() {
  static WorkerPool& pool = *new WorkerPool;
  return pool;
}

}  // namespace cucpu
