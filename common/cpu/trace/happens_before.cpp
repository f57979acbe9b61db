#include "happens_before.h"

#include <algorithm>
#include <atomic>

#include "lanes.h"

namespace cucpu::trace {
namespace {

// More than half of all stamps are there when a launch begins.
constexpr std::uint32_t kManyStamps = std::uint32_t{1} << 31;

}  // namespace

// --- what happens --------------------------------------------------------------------------------

bool HappensBefore::begin_launch() {
  if (last_stamp_ < kManyStamps) return false;
  last_stamp_ = 0;
  return true;
}

void HappensBefore::begin_block(std::uint32_t block, unsigned threads) {
  me_.block = block;
  thread_count_ = threads;
  warp_count_ = (threads + kLanes - 1) / kLanes;
  base_ = new_stamp();
  std::fill_n(warps_.begin(), warp_count_, Warp{base_, base_, false});
  if (has_acquired_) for_all_learnt([](Learnt& learnt) { learnt = {}; });
  has_acquired_ = false;
  block_fences_.clear();
  device_fences_.clear();
  signalled_.clear();
  block_variables_.clear();
}

void HappensBefore::block_met() {
  base_ = new_stamp();
  std::fill_n(warps_.begin(), warp_count_, Warp{base_, base_, false});
  if (has_acquired_) for_all_learnt([](Learnt& learnt) { learnt.block_met(); });
  signalled_.clear();
  block_fences_.block_met();
  device_fences_.block_met();
}

void HappensBefore::lanes_met(unsigned warp_number, std::uint32_t mask) {
  Warp& warp = warps_[warp_number];
  const unsigned lane_count = thread_count_ - warp_number * kLanes;
  const std::uint32_t all =
      lane_count < kLanes ? (std::uint32_t{1} << lane_count) - 1 : ~std::uint32_t{0};
  const std::uint32_t lanes = mask & all;
  advance(warp);
  if (lanes == all) {
    warp.base = warp.stamp;
    warp.partial = false;
  } else {
    if (lane_knowledge_.empty()) lane_knowledge_.resize(kMaxWarps);
    LaneKnowledge& known = lane_knowledge_[warp_number];
    if (!warp.partial)
      for (auto& of_lane : known) of_lane.fill(warp.base);
    warp.partial = true;
    std::array<std::uint32_t, kLanes> sum{};
    for_each_lane(lanes, [&](unsigned lane) {
      for (unsigned other = 0; other < kLanes; ++other)
        sum[other] = std::max(sum[other], known[lane][other]);
    });
    for_each_lane(lanes, [&](unsigned lane) { sum[lane] = warp.stamp; });
    for_each_lane(lanes, [&](unsigned lane) { known[lane] = sum; });
  }
  if (has_acquired_) for_all_learnt([&](Learnt& learnt) { learnt.lanes_met(warp_number, lanes); });
  block_fences_.lanes_met(warp_number, lanes);
  device_fences_.lanes_met(warp_number, lanes);
}

void HappensBefore::fence(bool for_block_only) {
  // The thread's accesses from now on have another stamp than those before.
  advance(warps_[me_.warp]);
  me_.stamp = warps_[me_.warp].stamp;
  if (has_acquired_) learn_at_fence(for_block_only);
  signalled_.erase(me_.thread);
  const Fenced known = all_that_i_know();
  block_fences_.of_thread[me_.thread] = known;
  if (!for_block_only) device_fences_.of_thread[me_.thread] = known;
}

void HappensBefore::learn_at_fence(bool for_block_only) {
  for (const Pending* pending : {&seen_, &locked_}) {
    acquired_.add(me_.thread, pending->at_any_fence.of(me_.thread));
    if (!for_block_only) acquired_.add(me_.thread, pending->at_device_fence.of(me_.thread));
  }
}

HappensBefore::Fenced HappensBefore::all_that_i_know() const {
  const Warp& warp = warps_[me_.warp];
  Fenced fenced;
  fenced.block.before = base_;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    std::uint32_t before = warp.base;
    if (warp.partial)
      before = std::max(before, lane_knowledge_[me_.warp][me_.thread % kLanes][lane]);
    if (lane == me_.thread % kLanes) before = me_.stamp;
    if (before > base_) fenced.block.threads.push_back({me_.warp * kLanes + lane, before});
  }
  fenced.others = acquired();
  return fenced;
}

// The fences order these with the access to the variable, which is an atomic one of no order.
void HappensBefore::release(std::uintptr_t variable, bool shared, Scope to) {
  const Fenced& for_block = block_fences_.of(me_.thread);
  if (for_block.empty() || !to.block) return;
  Knowledge& known = block_variables_[variable];
  known.add(for_block.others);
  known.add(me_.block, for_block.block);
  const Fenced& for_all = device_fences_.of(me_.thread);
  if (shared || for_all.empty() || !to.grid) return;
  device_variables_.release(variable, me_.block, for_all.block, for_all.others);
  std::atomic_thread_fence(std::memory_order_acq_rel);
}

Knowledge HappensBefore::acquire(std::uintptr_t variable, bool shared, bool locks) {
  std::atomic_thread_fence(std::memory_order_acq_rel);
  Pending& pending = locks ? locked_ : seen_;
  Knowledge known;
  if (!shared) known = device_variables_.acquire(variable);
  pending.at_device_fence.add(me_.thread, known);
  if (!block_variables_.empty()) {
    const auto found = block_variables_.find(variable);
    if (found != block_variables_.end()) {
      pending.at_any_fence.add(me_.thread, found->second);
      known.add(found->second);
    }
  }
  has_acquired_ |= !known.empty();
  return known;
}

bool HappensBefore::may_signal(bool in_block_only) const {
  const Fences& fences = in_block_only ? block_fences_ : device_fences_;
  return !fences.of(me_.thread).empty() && !signalled_.contains(me_.thread);
}

// --- fences --------------------------------------------------------------------------------------

void HappensBefore::Fenced::add(const Fenced& other) {
  block.add(other.block);
  others.add(other.others);
}

const HappensBefore::Fenced& HappensBefore::Fences::of(unsigned thread) const {
  if (of_thread.empty()) return of_block;
  const auto found = of_thread.find(thread);
  return found == of_thread.end() ? of_block : found->second;
}

void HappensBefore::Fences::block_met() {
  if (of_thread.empty()) return;
  // All threads at once: adding them one by one would sort them again and again.
  KnownOfBlock sum;
  for (const auto& [thread, fenced] : of_thread) {
    sum.before = std::max(sum.before, fenced.block.before);
    sum.threads.insert(sum.threads.end(), fenced.block.threads.begin(), fenced.block.threads.end());
    of_block.others.add(fenced.others);
  }
  of_block.block.add(sum);
  of_thread.clear();
}

void HappensBefore::Fences::lanes_met(unsigned warp, std::uint32_t lanes) {
  if (of_thread.empty()) return;
  Fenced sum;
  for_each_lane(lanes, [&](unsigned lane) {
    const auto found = of_thread.find(warp * kLanes + lane);
    if (found != of_thread.end()) sum.add(found->second);
  });
  if (sum.empty()) return;
  for_each_lane(lanes, [&](unsigned lane) { of_thread[warp * kLanes + lane] = sum; });
}

void HappensBefore::Fences::clear() {
  of_thread.clear();
  of_block = {};
}

// --- what is known -------------------------------------------------------------------------------

namespace {

bool covers(const Knowledge& knowledge, std::uint32_t block, unsigned thread, std::uint32_t stamp) {
  const KnownOfBlock* const known = knowledge.of(block);
  return known != nullptr && known->covers(thread, stamp);
}

}  // namespace

bool HappensBefore::knows_of_warp(unsigned lane, std::uint32_t stamp) const {
  const Warp& warp = warps_[me_.warp];
  if (stamp < warp.base) return true;
  return warp.partial && stamp < lane_knowledge_[me_.warp][me_.thread % kLanes][lane];
}

bool HappensBefore::knows(std::uint32_t block, unsigned thread, std::uint32_t stamp,
                          bool strong) const {
  if (block == me_.block) {
    if (thread == me_.thread || stamp < base_) return true;
    if (thread / kLanes == me_.warp && knows_of_warp(thread % kLanes, stamp)) return true;
  }
  if (!has_acquired_) return false;
  if (covers(acquired(), block, thread, stamp)) return true;
  return strong && (covers(seen_.at_any_fence.of(me_.thread), block, thread, stamp) ||
                    covers(seen_.at_device_fence.of(me_.thread), block, thread, stamp));
}

bool HappensBefore::lacks_only_fence(std::uint32_t block, unsigned thread,
                                     std::uint32_t stamp) const {
  if (!has_acquired_) return false;
  for (const Pending* pending : {&seen_, &locked_})
    for (const Learnt* learnt : {&pending->at_any_fence, &pending->at_device_fence})
      if (covers(learnt->of(me_.thread), block, thread, stamp)) return true;
  return false;
}

bool HappensBefore::has_counted(std::uint32_t block, unsigned thread, std::uint32_t stamp) const {
  return has_acquired_ && covers(counted_.of(me_.thread), block, thread, stamp);
}

std::uint32_t HappensBefore::unknown_lanes(std::uint32_t lanes, std::uint32_t stamp,
                                           bool strong) const {
  lanes &= ~me_.bit;
  const Warp& warp = warps_[me_.warp];
  if (lanes == 0 || stamp < warp.base) return 0;
  if (!warp.partial && !has_acquired_) return lanes;
  std::uint32_t unknown = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    if (!knows(me_.block, me_.warp * kLanes + lane, stamp, strong)) unknown |= bit_of(lane);
  });
  return unknown;
}

}  // namespace cucpu::trace
