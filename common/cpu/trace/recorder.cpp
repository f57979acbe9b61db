#include "recorder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "allocations.h"
#include "device_variables.h"
#include "fiber_pool.h"
#include "grid.h"

namespace cucpu::trace {

Recorder::Recorder()
    : tools_(settings().tools),
      checks_(tools_.check()),
      counting_(spaces_, !checks_),
      memory_checker_(findings_),
      barriers_(findings_),
      warp_checker_(findings_),
      undefined_values_(findings_) {
  if (tools_.racecheck) races_ = std::make_unique<RaceChecker>(findings_, shared_.size());
}

void Recorder::begin_launch(const Grid& grid, const FiberPool& fibers) {
  spaces_.begin_launch(fibers);
  running_ = may_repeat_ = false;
  counts_ = is_counting();
  counting_.begin_launch(grid);
  if (!checks_) return;
  arena_ = checked_memory::arena();
  dynamic_shared_bytes_ = grid.config.shared_bytes;
  memory_checker_.begin_launch(grid);
  if (races_ != nullptr) races_->begin_launch(grid);
}

void Recorder::begin_block() {
  spaces_.begin_block();
  counting_.begin_block(blockDim.x * blockDim.y * blockDim.z);
  if (!checks_) return;
  shared_.begin_block();
  shared_.add(spaces_.dynamic_shared().begin, dynamic_shared_bytes_);
  if (races_ != nullptr) races_->begin_block();
  barriers_.begin_block();
  warp_checker_.begin_block(blockDim.x * blockDim.y * blockDim.z);
  undefined_values_.begin_block();
}

void Recorder::shared_variable(const void* variable, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(variable);
  spaces_.add_shared({begin, bytes});
  if (checks_) shared_.add(begin, bytes);
}

void Recorder::begin_sequence() {
  const unsigned number = running_thread();
  thread_ = {number, number / kLanes, number % kLanes};
  running_ = true;
  follows_ = undefined_values_.is_followed(thread_);
  may_repeat_ = races_ != nullptr && !counts_ && !follows_;
  if (counts_) counting_.resume(thread_);
  if (races_ != nullptr) races_->resume(thread_);
}

// The thread is about to wait, or to exit.
void Recorder::end_sequence() {
  if (bad_index_.array != nullptr) settle_bad_index();
  if (!running_) begin_sequence();
  if (follows_) undefined_values_.settle(thread_);
  running_ = may_repeat_ = false;
  if (races_ != nullptr) races_->suspend();
}

// Variables of the program are shared by threads like global memory, but not counted as such.
void Recorder::check_elsewhere(const Access& event) {
  // Given back, it soon is another thread's, which would look like a race.
  const auto heap = in_device_heap(event.address);
  if (heap && !heap->is_freed)
    count(event);
  else if (!memory_checker_.is_programs_variable(event.address))
    memory_checker_.check_unknown(event);
  else if (races_ != nullptr)
    check_race(event, 0);
}

void Recorder::settle_bad_index_before(const Access& next) {
  const BadIndex bad = std::exchange(bad_index_, {});
  if (memory_checker_.is_beyond_variable(bad, next))
    memory_checker_.report_beyond_variable(bad, next);
  else
    memory_checker_.report_bad_index(bad, is_shared(next.address) ? next.code : 0);
}

void Recorder::arrive(const Arrival& arrival) {
  end_sequence();
  leaves_early_ = false;
  if (arrival.block)
    barriers_.arrive(arrival);
  else if (tools_.synccheck)
    arrive_in_warp(arrival);
  if (counts_) counting_.arrive(thread_, arrival);
}

void Recorder::arrive_in_warp(const Arrival& arrival) {
  warp_checker_.arrive(thread_, arrival);
  undefined_values_.bring(thread_, arrival);
}

std::uint64_t Recorder::take(const Taken& taken, std::uint64_t bits) {
  if (!tools_.synccheck) return bits;
  if (!running_) begin_sequence();
  // The warp's lanes have passed each other by. That is reported; what follows from it need not be.
  if (warp_checker_.has_reported(thread_.warp)) return bits;
  bits = undefined_values_.take(thread_, taken, bits);
  follows_ = undefined_values_.is_followed(thread_);
  if (follows_) may_repeat_ = false;
  return bits;
}

void Recorder::yield() {
  end_sequence();
  if (counts_) counting_.suspend();
}

void Recorder::leave_early() { leaves_early_ = true; }

void Recorder::exit_thread() {
  end_sequence();
  if (tools_.synccheck) {
    if (!leaves_early_) barriers_.reach_end();
    warp_checker_.exit_thread(thread_, /*at_end=*/!leaves_early_);
  }
  leaves_early_ = false;
  if (counts_) counting_.exit_thread();
}

void Recorder::copy(void* to, std::size_t to_bytes, const void* from, std::size_t bytes,
                    const void* code) {
  // The instruction has a width of 4, 8 or 16 bytes, of which it may use only the first ones.
  const auto width = [](std::size_t n) { return static_cast<unsigned>(std::bit_ceil(n)); };
  const auto piece = [&](Kind kind, const void* at, std::size_t n) {
    return Access{Space::global, kind, reinterpret_cast<std::uintptr_t>(at),
                  width(n),      true, reinterpret_cast<std::uintptr_t>(code),
                  Way::copy};
  };
  if (bytes != 0) access(piece(Kind::load, from, bytes));
  if (to_bytes == 0) return;
  access(piece(Kind::store, to, to_bytes));
  const std::size_t position = shared_.position(reinterpret_cast<std::uintptr_t>(to));
  if (races_ != nullptr && position != SharedLayout::kNowhere)
    races_->begin_copy(position, to_bytes, reinterpret_cast<std::uintptr_t>(code));
}

void Recorder::copied(void* to, std::size_t to_bytes, const void* code) {
  if (races_ == nullptr || to_bytes == 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  const std::size_t position = shared_.position(address);
  if (position == SharedLayout::kNowhere) return;
  if (!running_) begin_sequence();
  races_->end_copy({Space::shared, Kind::store, address, static_cast<unsigned>(to_bytes), true,
                    reinterpret_cast<std::uintptr_t>(code), Way::copy},
                   position);
}

void Recorder::fence(bool for_block_only) {
  if (races_ == nullptr) return;
  if (!running_) begin_sequence();
  races_->fence(for_block_only);
}

void Recorder::release(const void* object) {
  if (races_ == nullptr) return;
  if (!running_) begin_sequence();
  races_->release(reinterpret_cast<std::uintptr_t>(object));
}

void Recorder::acquire(const void* object) {
  if (races_ == nullptr) return;
  if (!running_) begin_sequence();
  races_->acquire(reinterpret_cast<std::uintptr_t>(object));
}

void Recorder::block_met() {
  barriers_.block_met();
  if (races_ != nullptr) races_->block_met();
}

void Recorder::lanes_met(unsigned warp, std::uint32_t mask, const char* what) {
  if (tools_.synccheck) warp_checker_.lanes_met(warp, mask);
  if (races_ != nullptr && is_warp_barrier(what)) races_->lanes_met(warp, mask);
}

std::string Recorder::how_out_of_step(unsigned warp) const {
  return tools_.synccheck ? warp_checker_.how_out_of_step(warp) : "";
}

void Recorder::grid_met() {
  if (races_ != nullptr) races_->grid_met();
}

void Recorder::end_block() {
  if (!counts_) return;
  counting_.end_block();
}

void Recorder::end_launch() {
  counting_.end_launch();
  if (races_ != nullptr) races_->end_launch();
  findings_.end_launch();
}

}  // namespace cucpu::trace
