#include "recorder.h"

#include <algorithm>
#include <bit>

#include "allocations.h"
#include "fiber_pool.h"

namespace cucpu::trace {

Recorder::Recorder() {
  dynamic_ = {reinterpret_cast<std::uintptr_t>(&cucpu_dynamic_shared[0]), kMaxDynamicSharedBytes};
}

void Recorder::begin_launch(const Grid& grid, const FiberPool& fibers) {
  stacks_ = {reinterpret_cast<std::uintptr_t>(fibers.begin()),
             static_cast<std::size_t>(fibers.end() - fibers.begin())};
  global_.clear();
  for (const Allocation& a : Allocations::instance().all())
    if (a.kind != MemoryKind::symbol) global_.push_back({a.begin, a.bytes});
  near_.fill({});
  running_ = false;
  counting_.begin_launch(grid);
}

void Recorder::begin_block() {
  static_ = {};
  counting_.begin_block(blockDim.x * blockDim.y * blockDim.z);
}

void Recorder::shared_variable(const void* variable, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(variable);
  if (static_.bytes == 0) {
    static_ = {begin, bytes};
    return;
  }
  const std::uintptr_t end = std::max(static_.begin + static_.bytes, begin + bytes);
  static_.begin = std::min(static_.begin, begin);
  static_.bytes = end - static_.begin;
}

void Recorder::begin_sequence() {
  const unsigned number = linear_thread();
  thread_ = {number, number / kLanes, number % kLanes};
  running_ = true;
  counting_.resume(thread_);
}

void Recorder::arrive(const Arrival& arrival) {
  if (!running_) begin_sequence();
  running_ = false;
  counting_.arrive(thread_, arrival);
}

void Recorder::exit_thread() {
  if (!running_) begin_sequence();
  running_ = false;
  counting_.exit_thread(thread_);
}

void Recorder::copy(void* to, std::size_t to_bytes, const void* from, std::size_t bytes,
                    const void* code) {
  // The instruction has a width of 4, 8 or 16 bytes, of which it may use only the first ones.
  const auto width = [](std::size_t n) { return static_cast<unsigned>(std::bit_ceil(n)); };
  if (bytes != 0) access(Kind::load, from, width(bytes), code);
  if (to_bytes != 0) access(Kind::store, to, width(to_bytes), code);
}

void Recorder::end_block() { counting_.end_block(); }

void Recorder::end_launch(bool failed) { counting_.end_launch(failed); }

bool Recorder::find_global(std::uintptr_t address) {
  const auto above =
      std::upper_bound(global_.begin(), global_.end(), address,
                       [](std::uintptr_t a, const Extent& extent) { return a < extent.begin; });
  if (above == global_.begin()) return false;
  const Extent& extent = *std::prev(above);
  if (address - extent.begin >= extent.bytes) return false;
  near_[address / kNearBytes % kNear] = extent;
  return true;
}

}  // namespace cucpu::trace
