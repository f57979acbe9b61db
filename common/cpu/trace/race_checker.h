// racecheck: accesses that nothing puts in an order, of threads of a block or of different blocks.
//
// It follows what puts accesses in an order (happens_before.h), and remembers for each word who
// accessed it (access_history.h), in shared memory (shared_races.h) and in global memory
// (global_races.h). An asynchronous copy writes at any time between its beginning and the end of
// its thread's wait for it; what it reads, it reads at its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "access_history.h"
#include "findings.h"
#include "global_races.h"
#include "happens_before.h"
#include "race_log.h"
#include "shared_races.h"
#include "trace.h"

namespace cucpu::trace {

// What one worker runs of a launch.
class RaceChecker {
 public:
  // Of a worker whose shared memory has that many positions.
  RaceChecker(FindingLog& findings, std::size_t shared_bytes)
      : log_(findings), shared_(order_, shared_bytes) {}

  void begin_launch(const Grid& grid);
  void begin_block();
  void end_launch();
  // The thread that all of the following is about begins, or goes on.
  void resume(const Thread& thread) { order_.resume(thread); }
  // It is about to wait, or to exit.
  void suspend() { settle(); }

  // Whether an access is one more of those that its instruction has made to a word of shared memory
  // since the last barrier, about which there is nothing to find. `position` is that of the shared
  // memory at the access's address.
  [[gnu::always_inline]] bool is_repeated(const Access& access, std::size_t position) {
    return settled_ && is_of_one_word(access, position) && CodeNumbers::is_near(access.code) &&
           shared_.add_repeated(position / 4, CodeNumbers::of(access.code), action_of(access, true),
                                (1u << access.bytes) - 1);
  }
  [[gnu::always_inline]] void access_shared(const Access& access, std::size_t position) {
    settle();
    const bool done = is_of_one_word(access, position) &&
                      shared_.add_quickly(position / 4, CodeNumbers::of(access.code),
                                          action_of(access, true), (1u << access.bytes) - 1);
    if (!done) access_shared_closely(access, position);
  }
  [[gnu::always_inline]] void access_global(const Access& access) {
    settle();
    const Action action = action_of(access, false);
    const bool done = access.bytes <= 4 && access.address % 4 == 0 && action == Action::load &&
                      global_.is_nothing_new(access.address, CodeNumbers::of(access.code), action,
                                             (1u << access.bytes) - 1);
    if (!done) access_global_closely(access);
  }

  // The atomic access has been executed.
  void end_atomic() { global_.release_word(); }

  // An asynchronous copy to shared memory, after the access that it is.
  void begin_copy(std::size_t position, std::size_t bytes, std::uintptr_t code);
  // The thread has waited for it.
  void end_copy(const Access& access, std::size_t position);

  void fence(bool for_block_only) {
    settle();
    order_.fence(for_block_only);
  }
  // By an object in shared memory that is no variable of the program.
  void release(std::uintptr_t object) {
    fence(/*for_block_only=*/true);
    order_.release(object, /*shared=*/true);
  }
  void acquire(std::uintptr_t object) {
    settle();
    order_.acquire(object, /*shared=*/true);
  }
  void block_met() {
    order_.block_met();
    shared_.block_met();
  }
  void lanes_met(unsigned warp, std::uint32_t mask) { order_.lanes_met(warp, mask); }
  void grid_met() { global_.grid_met(); }

 private:
  // Two writes of a word, of which the second is yet to be executed.
  struct TwoWrites {
    Word* word;
    const volatile std::uint32_t* memory;
    std::uint32_t mask;    // of the bits that both write
    std::uint32_t before;  // what the first has written
    Mark mark;
    Space space;
  };

  // What can only be done once the last access has been executed, is done at the next event.
  void settle() {
    if (!settled_) [[unlikely]]
      settle_now();
  }
  void settle_now();

  // Calls use(address, bytes) for the part of each word that these bytes have.
  template <class Use>
  [[gnu::always_inline]] static void for_each_word(std::uintptr_t at, std::size_t bytes, Use use) {
    while (bytes != 0) {
      const std::size_t first = at % 4;
      const std::size_t count = bytes < 4 - first ? bytes : 4 - first;
      use(at, ((1u << count) - 1) << first);
      at += count;
      bytes -= count;
    }
  }
  // And from its first byte on, and no atomic one.
  static constexpr bool is_of_one_word(const Access& access, std::uintptr_t at) {
    return access.bytes <= 4 && at % 4 == 0 && access.kind != Kind::atomic;
  }
  // Inside a block, threads do not talk to each other by volatile variables.
  static constexpr Action action_of(const Access& access, bool shared) {
    const bool is_volatile = access.way == Way::of_volatile && !shared;
    switch (access.kind) {
      case Kind::load:
        return is_volatile ? Action::volatile_load : Action::load;
      case Kind::store:
        return is_volatile ? Action::volatile_store : Action::store;
      default:
        return Action::atomic;
    }
  }

  [[gnu::noinline]] void access_shared_closely(Access access, std::size_t position);
  [[gnu::noinline]] void access_global_closely(Access access);
  void found(Word& word, const Entry& entry, ThreadOfGrid other, bool in_flight,
             const Access& access, std::uintptr_t address, std::uint32_t bytes);
  void synchronize(const Access& access, Action action);

  HappensBefore order_;
  RaceLog log_;
  SharedRaces shared_;
  GlobalRaces global_{order_};

  bool settled_ = true;
  std::vector<TwoWrites> writes_;
  std::uintptr_t variable_ = 0;  // in global memory, that the thread looks at; 0: none
};

}  // namespace cucpu::trace
