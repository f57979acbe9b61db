#include "stream_order.h"

#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cucpu/trace.h"
#include "device_printf.h"
#include "state.h"
#include "worker_pool.h"

namespace cucpu {
namespace {

Line line_of(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return {};
  thread_local char this_threads_own;
  if (stream == cudaStreamPerThread) return {&this_threads_own, true};
  return {stream, is_blocking_stream(stream)};
}

// The last operation that each stream was given, until it is over. Waits include destroyed streams.
class StreamOrder {
 public:
  OperationRef add(const Line& line, OperationRef operation, const OperationRef& also_after = {}) {
    const std::lock_guard lock(mutex_);
    std::vector<OperationRef> before = unfinished_before(line);
    if (also_after != nullptr) before.push_back(also_after);
    // Those who trace the program watch one launch at a time.
    if (operation->grid != nullptr && trace::is_traced()) {
      if (last_launch_ != nullptr && !last_launch_->over) {
        if (before.empty()) held_up_ = operation;
        before.push_back(last_launch_);
      }
      last_launch_ = operation;
    }
    operation->line = line;
    last_[line.key] = operation;
    worker_pool().submit(operation, before);
    return operation;
  }

  std::vector<OperationRef> unfinished(const Line& line) {
    const std::lock_guard lock(mutex_);
    return unfinished_before(line);
  }

  const char* held_up() {
    const std::lock_guard lock(mutex_);
    const bool is_there = held_up_ != nullptr && !held_up_->begun && !held_up_->over;
    return is_there ? held_up_->grid->task.name : nullptr;
  }

  std::vector<OperationRef> unfinished() {
    const std::lock_guard lock(mutex_);
    std::vector<OperationRef> all;
    for (const auto& [key, operation] : last_)
      if (!operation->over) all.push_back(operation);
    return all;
  }

 private:
  std::vector<OperationRef> unfinished_before(const Line& line) {
    std::vector<OperationRef> found;
    for (auto at = last_.begin(); at != last_.end();) {
      if (at->second->over) {
        at = last_.erase(at);
        continue;
      }
      if (line.waits_for(at->second->line)) found.push_back(at->second);
      ++at;
    }
    return found;
  }

  std::mutex mutex_;
  std::unordered_map<const void*, OperationRef> last_;
  OperationRef last_launch_;
  OperationRef held_up_;  // the last of those that only wait for that
};

void wait_for_unfinished();

// Never destroyed: destructors of static objects may still wait for their streams.
StreamOrder& order() {
  static StreamOrder& all = []() -> StreamOrder& {
    // Operations that streams were given are done even if nobody waits for them.
    std::atexit([] {
      if (in_host_function()) return;
      wait_for_unfinished();
      flush_device_output_at_exit();
    });
    return *new StreamOrder;
  }();
  return all;
}

void wait_for_unfinished() {
  for (const OperationRef& operation : order().unfinished()) wait_for(operation);
}

OperationRef with_action(std::function<void()> action, bool is_short) {
  auto operation = std::make_shared<Operation>();
  operation->action = std::move(action);
  operation->is_short = is_short;
  return operation;
}

}  // namespace

void enqueue_launch(cudaStream_t stream, std::unique_ptr<Grid> grid) {
  flush_device_output();
  auto operation = std::make_shared<Operation>();
  operation->grid = std::move(grid);
  order().add(line_of(stream), std::move(operation));
}

OperationRef enqueue(cudaStream_t stream, std::function<void()> action) {
  return order().add(line_of(stream), with_action(std::move(action), false));
}

OperationRef enqueue_short(cudaStream_t stream, std::function<void()> action) {
  return order().add(line_of(stream), with_action(std::move(action), true));
}

void enqueue_wait(cudaStream_t stream, const OperationRef& operation) {
  if (!operation->over) order().add(line_of(stream), with_action({}, true), operation);
}

const char* launch_held_up() { return order().held_up(); }

bool is_idle(cudaStream_t stream) { return order().unfinished(line_of(stream)).empty(); }

void wait_for_stream(cudaStream_t stream) {
  for (const OperationRef& operation : order().unfinished(line_of(stream))) wait_for(operation);
  flush_device_output();
}

void wait_for_all() {
  wait_for_unfinished();
  flush_device_output();
}

void wait_for(const OperationRef& operation) { worker_pool().wait(operation); }

}  // namespace cucpu
