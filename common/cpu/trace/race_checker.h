// racecheck: accesses that nothing puts in an order, of threads of a block or of different blocks.
//
// It follows what puts accesses in an order (happens_before.h), with an eye on locks
// (critical_sections.h), and remembers for each word who
// accessed it (access_history.h), in shared memory (shared_races.h) and in global memory
// (global_races.h). An asynchronous copy writes at any time between its beginning and the end of
// its thread's wait for it; what it reads, it reads at its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "access_history.h"
#include "critical_sections.h"
#include "findings.h"
#include "global_races.h"
#include "happens_before.h"
#include "race_log.h"
#include "shared_races.h"
#include "trace.h"

namespace cucpu::trace {

// The part of a launch that one worker runs.
class RaceChecker {
 public:
  // `shared_bytes`: positions in the shared memory of the worker.
  RaceChecker(FindingLog& findings, std::size_t shared_bytes)
      : log_(findings), shared_(order_, shared_bytes) {}

  void begin_launch(const Grid& grid);
  void begin_block();
  void end_launch();
  // The thread that all of the following is about begins, or goes on.
  void resume(const Thread& thread) {
    order_.resume(thread);
    if (!sections_.empty()) [[unlikely]]
      watch_sections();
  }
  // It is about to wait, or to exit.
  void suspend() { settle_store(); }

  // Whether an access is one more of those that its instruction has made to a word of shared memory
  // since the last barrier, about which there is nothing to find. `position` is that of the shared
  // memory at the access's address.
  [[gnu::always_inline]] bool is_repeated(const Access& access, std::size_t position) {
    return settled_ && is_of_one_word(access, position) && CodeNumbers::is_near(access.code) &&
           shared_.add_repeated(position / 4, CodeNumbers::of(access.code), plain_action(access),
                                (1u << access.bytes) - 1);
  }
  [[gnu::always_inline]] void access_shared(const Access& access, std::size_t position) {
    settle(access);
    const bool done = is_of_one_word(access, position) &&
                      shared_.add_quickly(position / 4, CodeNumbers::of(access.code),
                                          plain_action(access), (1u << access.bytes) - 1);
    if (!done) access_shared_closely(access.copy(), position);
  }
  [[gnu::always_inline]] void access_global(const Access& access) {
    settle(access);
    const bool done = is_of_one_word(access, access.address) && access.kind == Kind::load &&
                      global_.is_nothing_new(access.address, CodeNumbers::of(access.code),
                                             Action::load, (1u << access.bytes) - 1);
    if (!done) access_global_closely(access.copy());
  }

  // The atomic access has been executed.
  void end_atomic();

  // An asynchronous copy to shared memory, after the access that it is.
  void begin_copy(std::size_t position, std::size_t bytes, std::uintptr_t code);
  // The thread has waited for it.
  void end_copy(const Access& access, std::size_t position);

  void fence(bool for_block_only);
  // Release by an object in shared memory that is not a variable of the program.
  void release(std::uintptr_t object) {
    fence(/*for_block_only=*/true);
    order_.release(object, /*shared=*/true, {.block = true, .grid = false});
  }
  void acquire(std::uintptr_t object) {
    order_.acquire(object, /*shared=*/true, /*locks=*/false);
    fence(/*for_block_only=*/true);
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

  // An atomic access that is being executed.
  struct Atomic {
    Access access;
    std::size_t position;  // in shared memory
    std::uint64_t before;  // the variable's value
    bool compares() const { return access.way == Way::compare_and_swap; }
    bool is_in_block_only() const { return access.space == Space::shared || access.of_block; }
  };

  // The thread makes an access. Work that has to wait until the last one has been executed is done
  // at the next event.
  void settle(const Access& access) {
    if (!settled_) [[unlikely]] {
      settle_now();
      access_in_sections(is_by_atomic(access));
    }
  }
  void settle_store() {
    if (!settled_) [[unlikely]]
      settle_now();
  }
  void settle_now();
  void watch_sections();
  void access_in_sections(bool by_atomic);

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
  // Whether it is a plain one, of one word only and from its first byte on.
  static constexpr bool is_of_one_word(const Access& access, std::uintptr_t at) {
    return access.bytes <= 4 && at % 4 == 0 && !is_by_atomic(access) &&
           access.way != Way::of_volatile;
  }
  static constexpr bool is_by_atomic(const Access& access) {
    return access.kind == Kind::atomic || access.way == Way::of_atomic;
  }
  static constexpr Action plain_action(const Access& access) {
    return access.kind == Kind::load ? Action::load : Action::store;
  }
  Action action_of(const Access& access) const;

  [[gnu::noinline]] void access_shared_closely(const Access& access, std::size_t position);
  [[gnu::noinline]] void access_global_closely(const Access& access);
  void add_shared(const Access& access, std::size_t position, Action action);
  void add_global(const Access& access, Action action);
  void found(Word& word, const Entry& entry, ThreadOfGrid other, bool in_flight,
             const Access& access, Action action, std::uintptr_t address, std::uint32_t bytes);
  Mark mark_of(const Entry& entry, ThreadOfGrid other, const Access& access, Action action) const;
  // At what there is of a word before the access becomes a part of that.
  void look(Word& word, AccessHistory& history, std::uint32_t kind, const Access& access,
            Action action);
  void synchronize(const Access& access, Action action);
  void synchronize(const Atomic& atomic, std::uint64_t value,
                   std::vector<CriticalSections::Suspect>& suspects);
  void log(Word& word, const Mark& mark, Space space);

  HappensBefore order_;
  CriticalSections sections_;
  std::unordered_set<std::uint32_t> reads_before_swap_;  // code, so far
  RaceLog log_;
  SharedRaces shared_;
  GlobalRaces global_{order_};

  bool settled_ = true;
  std::vector<TwoWrites> writes_;
  struct Variable {
    std::uintptr_t address = 0;  // 0: none
    bool shared;
  };
  Variable variable_;  // that the thread looks at
  std::optional<Atomic> atomic_;
};

}  // namespace cucpu::trace
