// The threads of the host that do what streams are given.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "operation.h"

namespace cucpu {

// Does operations as soon as those that they wait for are over. A thread of the host that waits for
// an operation works, too, so a program that waits for each of its launches needs no other thread.
//
// A block that spins keeps its worker. Every launch still gets a worker, a new one if necessary, so
// launches that wait for each other, or for a copy, go on.
class WorkerPool {
 public:
  // Does the operation once all of `before` are over.
  void submit(const OperationRef& operation, std::span<const OperationRef> before);
  void wait(const OperationRef& operation);
  // The running blocks wait for one that does not run. If a block is left, and the device holds
  // that many at once, another worker runs it.
  void reinforce(const Grid& grid);

 private:
  using Lock = std::unique_lock<std::mutex>;

  void make_ready(const OperationRef& operation);
  void get_helpers_for(const Operation& operation);
  void add_helper();
  void help();
  OperationRef find_work() const;
  OperationRef find_work_before(const Operation& target) const;
  void work_on(const OperationRef& operation, Lock& lock);
  void end(const OperationRef& operation, Lock& lock);
  void complete(const OperationRef& operation);
  void fail_all(int error);
  void watch();
  void end_if_stuck(Operation& operation);

  std::mutex mutex_;
  std::condition_variable wake_;      // of helpers
  std::condition_variable progress_;  // for those who wait for operations
  std::vector<OperationRef> active_;  // can be done, or are being done
  std::uint64_t submitted_ = 0;
  std::size_t helpers_ = 0;
  std::size_t idle_ = 0;  // of the helpers
  std::size_t waiting_ = 0;
  bool watched_ = false;
};

WorkerPool& worker_pool();

}  // namespace cucpu
