// Races in global memory, among all threads of a launch.
#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "access_history.h"
#include "checked_memory.h"
#include "happens_before.h"
#include "store_in_flight.h"

namespace cucpu::trace {

// The histories of all words, which all workers share.
class GlobalHistory {
 public:
  static GlobalHistory& instance();

  // A worker begins its part of a launch. Returns the era before the launch's first grid.sync();
  // each grid.sync() begins the next era.
  std::uint32_t begin_launch(std::uint64_t serial);
  void reach(std::uint32_t era);
  // The memory is gone.
  void forget(std::uintptr_t begin, std::size_t bytes);

  // Words of the arena of device memory, from its beginning; null if there is none.
  Word* arena_words() const { return arena_words_.load(std::memory_order_acquire); }
  // Histories of other memory.
  static constexpr std::size_t kPageBytes = 4096;
  using Page = std::array<Word, kPageBytes / 4>;
  Page& page(std::uintptr_t address);
  LinkPool& links() { return links_; }

 private:
  static constexpr std::size_t kMostLinks = std::size_t{1} << 28;
  static std::uint32_t links_within_limit() {
    return static_cast<std::uint32_t>(std::min(kMostLinks, address_limit() / 8 / sizeof(Link)));
  }

  std::mutex mutex_;
  std::uint64_t serial_ = 0;
  std::uint32_t era_ = 0;
  std::unique_ptr<Reserved<Word>> arena_;
  std::atomic<Word*> arena_words_{nullptr};
  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
  LinkPool links_{links_within_limit()};
};

// The share of one worker in them.
class GlobalRaces {
 public:
  explicit GlobalRaces(const HappensBefore& order) : order_(order) {}

  void begin_launch(std::uint64_t serial);
  // All threads of the grid have met.
  void grid_met() { shared_.reach(++era_); }

  // Whether an access to these bytes of the word needs no work, as its history stays the same and
  // no race is possible: only this instruction has accessed the word, in ways that do not race.
  [[gnu::always_inline]] bool is_nothing_new(std::uintptr_t address, std::uint32_t code,
                                             Action action, std::uint32_t bytes) {
    if (!is_load(action)) return false;
    const Word& word = word_at(address);
    if (__atomic_load_n(&word.era, __ATOMIC_ACQUIRE) != era_) return false;
    const Entry& entry = word.first;
    if (relaxed(word.more) != 0 || relaxed(entry.code) != code) return false;
    const std::uint32_t kind = Entry::kind(action, bytes);
    const HappensBefore::Me& me = order_.me();
    const std::uint32_t what = relaxed(entry.what);
    if (what == Entry::of_warp(kind, me.warp))
      return relaxed(entry.block) == me.block && relaxed(entry.stamp) == me.stamp &&
             (relaxed(entry.lanes_or_second_block) & me.bit) != 0;
    constexpr std::uint32_t kMany = Entry::kTwo | Entry::kWide;
    if ((what & (Entry::kKind | kMany)) != (kind | kMany) || order_.has_acquired()) return false;
    const std::uint32_t first = relaxed(entry.block);
    const std::uint32_t last = relaxed(entry.lanes_or_second_block);
    if (first != last) return first <= me.block && me.block <= last;
    return first == me.block && relaxed(entry.stamp) >= order_.base() &&
           relaxed(entry.second_stamp) >= order_.base();
  }
  // Else: calls look(word, history, kind) for a word that has a history, and then
  // race(word, entry, thread) for each race with an earlier access, while no other worker uses the
  // word.
  template <class Race, class Look>
  void add(std::uintptr_t address, std::uint32_t code, Action action, std::uint32_t bytes,
           Race race, Look look) {
    const std::uint32_t kind = Entry::kind(action, bytes);
    Word& word = word_at(address);
    const bool held = &word == held_;
    const std::uint32_t era = held ? era_of_held_ : lock(word);
    if (era == era_) look(word, history_, kind);
    if (era != era_)
      history_.begin(word, code, kind);
    else
      history_.add(word, code, kind,
                   [&](const Entry& entry, ThreadOfGrid other) { race(word, entry, other); });
    if (is_store(action)) store_.announce_word(address & ~std::uintptr_t{3});
    if (held)
      era_of_held_ = era_;
    else
      unlock(word, era_);
  }
  // The first word of an atomic access stays with this worker until release_word(): who is executed
  // first, is also noted first.
  void hold_word(std::uintptr_t address) {
    held_ = &word_at(address);
    era_of_held_ = lock(*held_);
  }
  // Waits for a worker that executes an atomic access of the word.
  void wait_for_word(std::uintptr_t address) {
    Word& word = word_at(address);
    unlock(word, lock(word));
  }
  void release_word() {
    if (held_ != nullptr) unlock(*std::exchange(held_, nullptr), era_of_held_);
  }

  // Does `work` while no other worker uses the word.
  template <class Work>
  void with(Word& word, Work work) {
    const std::uint32_t era = lock(word);
    work();
    unlock(word, era);
  }
  StoreInFlight& store() { return store_; }
  Links& links() { return links_; }

 private:
  static constexpr std::uint32_t kLocked = ~std::uint32_t{0};

  static std::uint32_t relaxed(const std::uint32_t& value) {
    return __atomic_load_n(&value, __ATOMIC_RELAXED);
  }
  static std::uint32_t lock(Word& word) {
    for (;;) {
      const std::uint32_t era = __atomic_exchange_n(&word.era, kLocked, __ATOMIC_ACQUIRE);
      if (era != kLocked) return era;
      while (relaxed(word.era) == kLocked) sched_yield();
    }
  }
  static void unlock(Word& word, std::uint32_t era) {
    __atomic_store_n(&word.era, era, __ATOMIC_RELEASE);
  }

  Word& word_at(std::uintptr_t address) {
    const std::size_t offset = address - arena_.begin;
    return offset < arena_.bytes ? words_[offset / 4] : word_elsewhere(address);
  }
  Word& word_elsewhere(std::uintptr_t address);

  GlobalHistory& shared_ = GlobalHistory::instance();
  const HappensBefore& order_;
  std::uint32_t era_ = 0;
  checked_memory::Arena arena_;
  Word* words_ = nullptr;
  // The pages used last, by the low bits of their numbers.
  struct NearPage {
    std::uintptr_t number = 0;
    GlobalHistory::Page* page = nullptr;
  };
  std::array<NearPage, 64> near_{};
  StoreInFlight store_;
  Word* held_ = nullptr;
  std::uint32_t era_of_held_ = 0;
  Links links_{shared_.links()};
  AccessHistory history_{order_, links_};
};

}  // namespace cucpu::trace
