#include "recorder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "allocations.h"
#include "fiber_pool.h"
#include "grid.h"

namespace cucpu::trace {
namespace {

// After each shared variable: no access that begins in it ends behind them.
constexpr std::size_t kSharedGap = 16;

}  // namespace

Recorder::Recorder() : tools_(settings().tools), memory_checker_(findings_) {
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
  counts_ = is_counting();
  counting_.begin_launch(grid);
  if (!tools_.check()) return;
  arena_ = checked_memory::arena();
  dynamic_bytes_ = grid.config.shared_bytes;
  memory_checker_.begin_launch(grid);
}

void Recorder::begin_block() {
  static_ = {};
  counting_.begin_block(blockDim.x * blockDim.y * blockDim.z);
  if (!tools_.check()) return;
  shared_.clear();
  shared_states_.clear();
  last_shared_ = 0;
  shared_.push_back({dynamic_, 0});
  add_shared_states(dynamic_bytes_);
}

void Recorder::shared_variable(const void* variable, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(variable);
  if (tools_.check()) {
    shared_.push_back({{begin, bytes}, shared_states_.size()});
    add_shared_states(bytes);
  }
  if (static_.bytes == 0) {
    static_ = {begin, bytes};
    return;
  }
  const std::uintptr_t end = std::max(static_.begin + static_.bytes, begin + bytes);
  static_.begin = std::min(static_.begin, begin);
  static_.bytes = end - static_.begin;
}

void Recorder::add_shared_states(std::size_t bytes) {
  shared_states_.resize(shared_states_.size() + bytes, ByteState::undefined);
  shared_states_.resize(shared_states_.size() + kSharedGap, ByteState::outside);
}

void Recorder::begin_sequence() {
  const unsigned number = linear_thread();
  thread_ = {number, number / kLanes, number % kLanes};
  running_ = true;
  if (counts_) counting_.resume(thread_);
}

void Recorder::settle_bad_index(std::uintptr_t next) {
  memory_checker_.report_bad_index(std::exchange(bad_index_, {}), next);
}

void Recorder::arrive(const Arrival& arrival) {
  if (bad_index_.array != nullptr) settle_bad_index(0);
  if (!running_) begin_sequence();
  running_ = false;
  if (counts_) counting_.arrive(thread_, arrival);
}

void Recorder::exit_thread() {
  if (bad_index_.array != nullptr) settle_bad_index(0);
  if (!running_) begin_sequence();
  running_ = false;
  if (counts_) counting_.exit_thread(thread_);
}

void Recorder::copy(void* to, std::size_t to_bytes, const void* from, std::size_t bytes,
                    const void* code) {
  // The instruction has a width of 4, 8 or 16 bytes, of which it may use only the first ones.
  const auto width = [](std::size_t n) { return static_cast<unsigned>(std::bit_ceil(n)); };
  if (bytes != 0) access(Kind::load, from, width(bytes), code, true, Way::copy);
  if (to_bytes != 0) access(Kind::store, to, width(to_bytes), code, true, Way::copy);
}

void Recorder::end_block() {
  if (counts_) counting_.end_block();
}

void Recorder::end_launch(bool failed) {
  counting_.end_launch(failed);
  findings_.end_launch();
}

void Recorder::check_and_record(const Access& access) {
  if (bad_index_.array != nullptr) [[unlikely]]
    settle_bad_index(is_shared(access.address) ? access.code : 0);
  Access event = access;
  if (event.address - arena_.begin < arena_.bytes) {
    if (!memory_checker_.check(event, arena_.states + (event.address - arena_.begin))) return;
  } else if (const SharedExtent* const shared = find_shared(event.address)) {
    event.space = Space::shared;
    std::size_t offset = event.address - shared->begin;
    // Dynamic shared memory that the launch has not asked for has no states; it is out of bounds.
    if (shared == &shared_[0]) offset = std::min(offset, dynamic_bytes_);
    if (!memory_checker_.check(event, &shared_states_[shared->states + offset])) return;
  } else if (!is_global(event.address)) {
    memory_checker_.check_unknown(event);
    return;
  }
  record(event, event.space);
}

const Recorder::SharedExtent* Recorder::find_shared(std::uintptr_t address) {
  if (shared_[last_shared_].contains(address)) return &shared_[last_shared_];
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    if (!shared_[i].contains(address)) continue;
    last_shared_ = i;
    return &shared_[i];
  }
  return nullptr;
}

bool Recorder::find_global(std::uintptr_t address) {
  const auto above =
      std::upper_bound(global_.begin(), global_.end(), address,
                       [](std::uintptr_t a, const Extent& extent) { return a < extent.begin; });
  if (above == global_.begin()) return false;
  const Extent& extent = *std::prev(above);
  if (!extent.contains(address)) return false;
  near_[address / kNearBytes % kNear] = extent;
  return true;
}

}  // namespace cucpu::trace
