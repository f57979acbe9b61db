// Races in the shared memory of the block that a worker runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "access_history.h"
#include "happens_before.h"

namespace cucpu::trace {

// Shared memory is known by the position of its bytes, from 0 up.
class SharedRaces {
 public:
  SharedRaces(const HappensBefore& order, std::size_t bytes)
      : order_(order), words_(bytes / 4 + 1), flights_(bytes / 4 + 1), pool_(kLinks) {}

  // Stamps begin anew.
  void forget_all() { words_.clear(); }
  void begin_block();
  void block_met() {
    pool_.reset();
    links_.forget_portion();
  }

  // Whether that is all there is to do for an access: it is the first to the word since the last
  // barrier, or a repeated one. `bytes`: of the word at this index.
  [[gnu::always_inline]] bool add_quickly(std::size_t index, std::uint32_t code, Action action,
                                          std::uint32_t bytes) {
    Word& word = words_[index];
    if (word.era == order_.base()) return add_repeated(index, code, action, bytes);
    if (word.era == kInFlight) return false;
    word.era = order_.base();
    history_.begin(word, code, Entry::kind(action, bytes));
    return true;
  }
  // Adds the access if only its instruction has accessed the word since the last barrier, in ways
  // that do not race; returns whether it did.
  [[gnu::always_inline]] bool add_repeated(std::size_t index, std::uint32_t code, Action action,
                                           std::uint32_t bytes) {
    Word& word = words_[index];
    Entry& entry = word.first;
    if (word.era != order_.base() || word.more != 0 || entry.code != code) return false;
    const std::uint32_t kind = Entry::kind(action, bytes);
    const HappensBefore::Me& me = order_.me();
    if (entry.what == Entry::of_warp(kind, me.warp)) {
      if (entry.stamp != me.stamp || (is_store(action) && entry.lanes() != me.bit)) return false;
      entry.lanes_or_second_block |= me.bit;
      return true;
    }
    constexpr std::uint32_t kMany = Entry::kTwo | Entry::kWide;
    return !is_store(action) && (entry.what & (Entry::kKind | kMany)) == (kind | kMany) &&
           !order_.has_acquired();
  }
  // Else: calls race(word, entry, thread, in_flight) for each race with an earlier access; with
  // `in_flight`, that is a copy that may still be on its way. Before that, look(word, history,
  // kind) for a word that has a history.
  template <class Race, class Look>
  void add(std::size_t index, std::uint32_t code, Action action, std::uint32_t bytes, Race race,
           Look look) {
    const std::uint32_t kind = Entry::kind(action, bytes);
    Word& word = words_[index];
    const bool in_flight = word.era == kInFlight;
    if (in_flight) word.era = flights_[index].era;
    if (word.era == order_.base()) {
      look(word, history_, kind);
      history_.add(word, code, kind, [&](const Entry& entry, ThreadOfGrid other) {
        race(word, entry, other, false);
      });
    } else {
      word.era = order_.base();
      history_.begin(word, code, kind);
    }
    if (!in_flight) return;
    Flight& flight = flights_[index];
    flight.era = word.era;
    word.era = kInFlight;
    if ((flight.bytes & bytes) == 0) return;
    const Entry entry{
        flight.code, Entry::kind(Action::store, flight.bytes), order_.me().block, 0, 0, 0};
    race(word, entry, ThreadOfGrid{order_.me().block, flight.thread}, true);
  }

  // The running thread has asked for an asynchronous copy to the word, of which add() has been
  // told; or has waited for it.
  void begin_copy(std::size_t index, std::uint32_t code, std::uint32_t bytes);
  void end_copy(std::size_t index, std::uint32_t bytes);

  Links& links() { return links_; }
  // The era of a word that a copy is on its way to. The true one is in its Flight.
  static constexpr std::uint32_t kInFlight = ~std::uint32_t{0};

 private:
  static constexpr std::uint32_t kLinks = std::uint32_t{1} << 20;

  // The copy that is on its way to a word.
  struct Flight {
    std::uint32_t code;
    std::uint32_t era;
    std::uint16_t thread;
    std::uint8_t bytes;
  };

  const HappensBefore& order_;
  Reserved<Word> words_;
  Reserved<Flight> flights_;
  std::size_t flying_ = 0;  // words with a copy on its way
  LinkPool pool_;
  Links links_{pool_};
  AccessHistory history_{order_, links_};
};

}  // namespace cucpu::trace
