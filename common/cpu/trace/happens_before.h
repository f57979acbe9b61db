// Which accesses come before the one that the running CUDA thread makes, whatever the order in
// which threads happen to run.
//
//  - Its own earlier ones.
//  - Those that any thread of the block made before the last barrier of the block.
//  - Those that a lane of its warp made before both came to a __syncwarp() or a sync() of their
//    group. Shuffles and votes put nothing in an order.
//  - Those that another thread knew of at its last fence, before it changed a variable by an atomic
//    function or a volatile store, if this thread has read the variable in the same way afterwards
//    and has come to a fence since. __threadfence_block() counts inside a block, others everywhere.
//
// Without the second of these fences, only atomic and volatile accesses come after, as in the
// programming guide's sum by the last block. A thread that takes a lock by atomicCAS needs the
// fence for these, too. A plain read by the last block without the fence is only a warning: nearly
// all programs leave the fence out, and GPUs forgive it.
//
// The first and the third of these hold by stamps (knowledge.h): each warp has one, which grows at
// each of its synchronizations.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "knowledge.h"
#include "learnt.h"
#include "rules.h"
#include "sync_variables.h"
#include "trace.h"

namespace cucpu::trace {

class HappensBefore {
 public:
  static constexpr unsigned kMaxWarps = 32;

  // The thread that runs.
  struct Me {
    std::uint32_t block = 0;
    unsigned thread = 0;
    unsigned warp = 0;
    std::uint32_t bit = 0;    // of its lane
    std::uint32_t stamp = 0;  // of its accesses
  };
  const Me& me() const { return me_; }

  // --- the events that the observer is told ---

  // Stamps of earlier launches mean nothing any more; true: nor do those of earlier blocks.
  bool begin_launch();
  void begin_block(std::uint32_t block, unsigned threads);
  void resume(const Thread& thread) {
    me_.thread = thread.number;
    me_.warp = thread.warp;
    me_.bit = std::uint32_t{1} << thread.lane;
    me_.stamp = warps_[thread.warp].stamp;
  }
  // All threads of the block have met at a barrier.
  void block_met();
  // Lanes of a warp have met in an operation that orders memory. Lanes that have exited count, too:
  // whether they had exited may depend on the order in which threads ran.
  void lanes_met(unsigned warp, std::uint32_t mask);
  void fence(bool for_block_only);
  // A change of a variable is about to happen. `to`: who may learn from it.
  struct Scope {
    bool block = true;
    bool grid = true;
  };
  void release(std::uintptr_t variable, bool shared, Scope to);
  // The thread has looked at a variable, perhaps to take a lock. Returns what it can learn there
  // once it has come to a fence.
  Knowledge acquire(std::uintptr_t variable, bool shared, bool locks);
  // The thread has learned that by adding to a count, or taking from it.
  void count(const Knowledge& learnt) { counted_.add(me_.thread, learnt); }
  // The thread has changed a variable, by an atomic function or without one. A fence before that
  // does not count for the next change.
  void use_up_fence() { signalled_.insert(me_.thread); }
  // No stamps are left in this launch: orders can no longer be told.
  bool exhausted() const { return last_stamp_ == kLastStamp; }

  // --- what is known ---

  // All accesses of the block with smaller stamps.
  std::uint32_t base() const { return base_; }
  // Somebody of the block has acquired something.
  bool has_acquired() const { return has_acquired_; }
  // Whether that access comes before the next one of the running thread. `strong`: the next one is
  // atomic or volatile.
  bool knows(std::uint32_t block, unsigned thread, std::uint32_t stamp, bool strong) const;
  // `lanes` of the running thread's warp made an access each: those whose access it does not know
  // of.
  std::uint32_t unknown_lanes(std::uint32_t lanes, std::uint32_t stamp, bool strong) const;
  // The knowledge that the running thread has from others and can use without another fence.
  const Knowledge& acquired() const { return acquired_.of(me_.thread); }
  // Whether it lacks no more than a fence to know of that access.
  bool lacks_only_fence(std::uint32_t block, unsigned thread, std::uint32_t stamp) const;
  // Whether it, or another thread of its block that it has met since, has learned of it by a count.
  bool has_counted(std::uint32_t block, unsigned thread, std::uint32_t stamp) const;
  // Whether a volatile store of the running thread comes right after a fence, so that it tells
  // others how far the thread has got.
  bool may_signal(bool in_block_only) const;

 private:
  static constexpr std::uint32_t kLastStamp = ~std::uint32_t{0};

  struct Warp {
    std::uint32_t stamp;  // of what it does now
    std::uint32_t base;   // all lanes know of each other's accesses with smaller stamps
    bool partial;         // since then, some lanes have met without the others
  };
  // Lane i knows of lane j's accesses with stamps smaller than [i][j].
  using LaneKnowledge = std::array<std::array<std::uint32_t, kLanes>, kLanes>;

  // A thread's knowledge at its last fence. Other threads' fences count too, once it has met them.
  struct Fenced {
    KnownOfBlock block;
    Knowledge others;
    bool empty() const { return block.before == 0; }
    void add(const Fenced& other);
  };
  struct Fences {
    std::unordered_map<unsigned, Fenced> of_thread;  // since the last barrier
    Fenced of_block;                                 // before it
    const Fenced& of(unsigned thread) const;
    void block_met();
    void lanes_met(unsigned warp, std::uint32_t lanes);
    void clear();
  };

  std::uint32_t new_stamp() {
    if (last_stamp_ != kLastStamp) ++last_stamp_;
    return last_stamp_;
  }
  void advance(Warp& warp) { warp.stamp = new_stamp(); }
  Fenced all_that_i_know() const;
  void learn_at_fence(bool for_block_only);
  bool knows_of_warp(unsigned lane, std::uint32_t stamp) const;

  Me me_;
  std::uint32_t last_stamp_ = 0;
  std::uint32_t base_ = 0;
  unsigned thread_count_ = 0;  // of the block
  unsigned warp_count_ = 0;
  std::array<Warp, kMaxWarps> warps_{};
  std::vector<LaneKnowledge> lane_knowledge_;  // of warps with `partial`, by warp

  bool has_acquired_ = false;
  Learnt acquired_;
  // Becomes acquired knowledge with the next fence: of any kind, or one for the device.
  struct Pending {
    Learnt at_any_fence, at_device_fence;
  };
  Pending seen_;    // atomic and volatile accesses come after it even before
  Pending locked_;  // nothing does
  Learnt counted_;  // of that, what is learned by a count
  template <class Use>
  void for_all_learnt(Use use) {
    for (Learnt* learnt : {&acquired_, &seen_.at_any_fence, &seen_.at_device_fence,
                           &locked_.at_any_fence, &locked_.at_device_fence, &counted_})
      use(*learnt);
  }

  Fences block_fences_;                     // of any kind
  Fences device_fences_;                    // of any kind except __threadfence_block()
  std::unordered_set<unsigned> signalled_;  // threads that have, since their last fence
  std::unordered_map<std::uintptr_t, Knowledge> block_variables_;
  SyncVariables& device_variables_ = SyncVariables::instance();
};

}  // namespace cucpu::trace
