// The threads of the host that run blocks.
#pragma once

#include <signal.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "grid.h"

namespace cucpu {

// The one who launches works too; helpers join in, and sleep when there is nothing to do.
class WorkerPool {
 public:
  ~WorkerPool();

  // Runs the grid to its end. One launch at a time.
  void run(Grid& grid);
  // The blocks that run wait for one that does not: if one is left and the device holds so many at
  // once, a further worker runs it.
  void reinforce(Grid& grid);

 private:
  std::size_t workers_for(const Grid& grid) const;
  void help(std::size_t index);
  void watch();
  void end_launch();

  std::mutex launch_mutex_;
  std::vector<std::thread> helpers_;
  std::thread watchdog_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Grid* grid_ = nullptr;  // the launch under way
  pthread_t launcher_{};
  std::uint64_t generation_ = 0;
  std::size_t helping_ = 0;  // helpers 0 .. helping_ - 1 take part in it
  std::size_t running_ = 0;  // of which these have not finished
  bool stop_ = false;
};

WorkerPool& worker_pool();

}  // namespace cucpu
