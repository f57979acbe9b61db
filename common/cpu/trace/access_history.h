// The history of the accesses to one word of memory, to tell which of them a new access races with.
//
// Each instruction that has accessed the word has an entry, which stands for all its accesses that
// later threads may not know of. It keeps at most two threads: a later thread cannot be both of
// them. So the findings do not depend on the order in which the threads happen to run.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "happens_before.h"
#include "lanes.h"
#include "rules.h"
#include "shortage.h"

namespace cucpu::trace {

// A thread's action on a word.
enum class Action : std::uint8_t {
  load,
  store,
  atomic,
  atomic_of_block,  // among the threads of a block only
  failed_swap,      // an atomicCAS() that changed nothing
  failed_swap_of_block,
  volatile_load,
  volatile_store,
  // Volatile stores that tell others how far the thread has got: they come right after a fence.
  signal,
  signal_of_block,  // the fence is one for the block only
};

constexpr bool is_load(Action a) { return a == Action::load || a == Action::volatile_load; }
constexpr bool is_plain(Action a) { return a == Action::load || a == Action::store; }
constexpr bool is_failed_swap(Action a) {
  return a == Action::failed_swap || a == Action::failed_swap_of_block;
}
constexpr bool is_atomic(Action a) {
  return a == Action::atomic || a == Action::atomic_of_block || is_failed_swap(a);
}
constexpr bool is_store(Action a) { return !is_load(a) && !is_atomic(a); }
constexpr bool only_reads(Action a) { return is_load(a) || is_failed_swap(a); }
constexpr bool is_for_block_only(Action a) {
  return a == Action::atomic_of_block || a == Action::failed_swap_of_block ||
         a == Action::signal_of_block;
}

// Whether two accesses are a race if nothing orders them.
constexpr bool conflict(Action a, Action b, bool in_one_block) {
  if (only_reads(a) && only_reads(b)) return false;
  // Atomic functions are how threads talk to each other, and so are volatile variables, if there
  // are fences. Else `volatile` does not help.
  if (is_plain(a) || is_plain(b)) return true;
  if (a == Action::volatile_store || b == Action::volatile_store) return true;
  return !in_one_block && (is_for_block_only(a) || is_for_block_only(b));
}

// A thread of any block.
struct ThreadOfGrid {
  std::uint32_t block;
  unsigned thread;
  auto operator<=>(const ThreadOfGrid&) const = default;
};

// How far apart two threads are. The farther, the more it takes to order their accesses.
enum class Distance : std::uint8_t { in_warp, in_block, in_grid };

constexpr Distance distance(const ThreadOfGrid& a, const ThreadOfGrid& b) {
  if (a.block != b.block) return Distance::in_grid;
  return a.thread / kLanes == b.thread / kLanes ? Distance::in_warp : Distance::in_block;
}

// Accesses of a word by one instruction.
struct Entry {
  // The bits of `what`.
  static constexpr unsigned kBytesShift = 4;
  static constexpr std::uint32_t kAction = 15;
  static constexpr std::uint32_t kBytes = 15u << kBytesShift;  // of the word
  static constexpr std::uint32_t kKind = kAction | kBytes;
  static constexpr std::uint32_t kTwo = 1u << 8;
  static constexpr std::uint32_t kWide = 1u << 9;   // the two are not of one warp
  static constexpr std::uint32_t kMark = 1u << 10;  // no accesses: see Mark
  static constexpr unsigned kThreadShift = 11;
  static constexpr unsigned kSecondShift = 21;
  static constexpr std::uint32_t kThread = 1023;

  std::uint32_t code;
  std::uint32_t what;
  // Lanes of one warp, with one stamp. Or, with kTwo, the first and the last of several threads,
  // each with its own stamp.
  std::uint32_t block;
  std::uint32_t stamp;
  std::uint32_t lanes_or_second_block;
  std::uint32_t second_stamp;

  Action action() const { return static_cast<Action>(what & kAction); }
  std::uint32_t bytes() const { return (what & kBytes) >> kBytesShift; }
  bool is_two() const { return (what & kTwo) != 0; }
  unsigned thread() const { return what >> kThreadShift & kThread; }
  unsigned warp() const { return thread() / kLanes; }
  unsigned second_thread() const { return what >> kSecondShift & kThread; }
  std::uint32_t lanes() const { return lanes_or_second_block; }
  std::uint32_t second_block() const { return lanes_or_second_block; }
  std::uint32_t stamp_of(const ThreadOfGrid& who) const {
    return is_two() && who == ThreadOfGrid{second_block(), second_thread()} ? second_stamp : stamp;
  }

  static constexpr std::uint32_t kind(Action action, std::uint32_t bytes) {
    return static_cast<std::uint32_t>(action) | bytes << kBytesShift;
  }
  static std::uint32_t of_warp(std::uint32_t kind, unsigned warp) {
    return kind | warp * kLanes << kThreadShift;
  }
};

// A race that has been found at a word: two instructions and, for each, a thread.
struct Mark {
  // How bad it is; all but the last are warnings. `counted`: the later thread has learned of the
  // earlier one by counting, as the last block of a grid does, and lacks a fence.
  enum Level : std::uint32_t { same_value, counted, error };

  struct Side {
    std::uint32_t code;
    Action action;
    ThreadOfGrid who;
  };
  Side side[2];
  Level level = error;
  bool in_flight = false;    // the first is a copy that its thread has not waited for
  bool lacks_fence = false;  // of the thread that comes later, and nothing else

  bool is_like(const Mark& m) const {
    return side[0].code == m.side[0].code && side[1].code == m.side[1].code &&
           side[0].action == m.side[0].action && side[1].action == m.side[1].action;
  }
  // It is kept among the entries of the word.
  Entry as_entry() const {
    return {side[0].code,
            Entry::kMark | static_cast<std::uint32_t>(side[0].action) |
                static_cast<std::uint32_t>(side[1].action) << kSecondActionShift |
                static_cast<std::uint32_t>(in_flight) << kInFlightShift |
                static_cast<std::uint32_t>(lacks_fence) << kLacksFenceShift |
                side[0].who.thread << Entry::kThreadShift |
                side[1].who.thread << Entry::kSecondShift,
            side[0].who.block,
            side[1].code,
            side[1].who.block,
            level};
  }
  static Mark of(const Entry& e) {
    const auto second = static_cast<Action>(e.what >> kSecondActionShift & Entry::kAction);
    return {{{e.code, e.action(), {e.block, e.thread()}},
             {e.stamp, second, {e.second_block(), e.second_thread()}}},
            static_cast<Level>(e.second_stamp),
            (e.what >> kInFlightShift & 1) != 0,
            (e.what >> kLacksFenceShift & 1) != 0};
  }

 private:
  static constexpr unsigned kSecondActionShift = 4;
  static constexpr unsigned kInFlightShift = 8;
  static constexpr unsigned kLacksFenceShift = 9;
};

// The entries of a word: the first one, and a list of the others.
struct alignas(32) Word {
  std::uint32_t era;   // another one: what follows is of the past
  std::uint32_t more;  // a Link, or 0
  Entry first;
};
struct alignas(32) Link {
  Entry entry;
  std::uint32_t next;
};
static_assert(sizeof(Word) == 32 && sizeof(Link) == 32);

// Memory that costs nothing until it is used; zeros.
template <class T>
class Reserved {
 public:
  explicit Reserved(std::size_t count) : bytes_(count * sizeof(T)) {
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      end_for_shortage("what racecheck remembers of accesses", "choose other tools in CUCPU_TOOLS");
    begin_ = static_cast<T*>(memory);
  }
  Reserved(const Reserved&) = delete;
  ~Reserved() { munmap(begin_, bytes_); }
  T* begin() const { return begin_; }
  T& operator[](std::size_t i) const { return begin_[i]; }
  void clear() { forget(0, bytes_ / sizeof(T)); }
  // Zeros again, in whole pages.
  void forget(std::size_t first, std::size_t count) {
    constexpr std::uintptr_t kPage = 4096;
    const auto begin = (reinterpret_cast<std::uintptr_t>(begin_ + first) + kPage - 1) & -kPage;
    const auto end = reinterpret_cast<std::uintptr_t>(begin_ + first + count) & -kPage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }

 private:
  T* begin_;
  std::size_t bytes_;
};

// Links for all words of one kind of memory.
class LinkPool {
 public:
  explicit LinkPool(std::uint32_t count) : links_(count), count_(count) {}
  Link& operator[](std::uint32_t i) { return links_[i]; }
  // Makes all links free again.
  void reset() { next_ = kPortion; }
  // The first of a portion for one worker; 0 if there are none left.
  std::uint32_t take_portion() {
    const std::uint32_t first = next_.fetch_add(kPortion, std::memory_order_relaxed);
    if (first < count_) return first;
    next_ = count_;
    return 0;
  }
  // Entries for which there was no room, in all launches.
  static std::atomic<std::uint64_t>& lost() {
    static std::atomic<std::uint64_t> count{0};
    return count;
  }
  static constexpr std::uint32_t kPortion = 256;

 private:
  Reserved<Link> links_;
  const std::uint32_t count_;
  std::atomic<std::uint32_t> next_{kPortion};
};

// A worker's way to them.
class Links {
 public:
  explicit Links(LinkPool& pool) : pool_(pool) {}
  Link& operator[](std::uint32_t i) { return pool_[i]; }
  void forget_portion() { next_ = end_ = 0; }

  // Adds the entry to those of the word. Without room, the entry is lost and counted.
  void put(Word& word, const Entry& entry) {
    if (next_ == end_) {
      next_ = pool_.take_portion();
      if (next_ == 0) {
        end_ = 0;
        LinkPool::lost().fetch_add(1, std::memory_order_relaxed);
        return;
      }
      end_ = next_ + LinkPool::kPortion;
    }
    pool_[next_] = {entry, word.more};
    word.more = next_++;
  }
  // Calls use(entry) for each of the word's entries.
  template <class Use>
  void for_each(Word& word, Use use) {
    use(word.first);
    for (std::uint32_t i = word.more; i != 0; i = pool_[i].next) use(pool_[i].entry);
  }

 private:
  LinkPool& pool_;
  std::uint32_t next_ = 0;
  std::uint32_t end_ = 0;
};

// The histories of words, as the thread that runs on a worker adds to them.
class AccessHistory {
 public:
  AccessHistory(const HappensBefore& order, Links& links) : order_(order), links_(links) {}

  Entry my_entry(std::uint32_t code, std::uint32_t kind) const {
    const HappensBefore::Me& me = order_.me();
    return {code, Entry::of_warp(kind, me.warp), me.block, me.stamp, me.bit, 0};
  }
  // Nothing of the word's past matters any more.
  void begin(Word& word, std::uint32_t code, std::uint32_t kind) const {
    word.more = 0;
    word.first = my_entry(code, kind);
  }
  // Adds an access, and calls race(entry, thread) for all with which it is in a race.
  template <class Race>
  void add(Word& word, std::uint32_t code, std::uint32_t kind, Race race) {
    const auto action = static_cast<Action>(kind & Entry::kAction);
    Entry* same = nullptr;
    links_.for_each(word, [&](Entry& entry) {
      if ((entry.what & Entry::kMark) != 0) return;
      ThreadOfGrid other;
      if ((entry.what & kind & Entry::kBytes) != 0 && conflict(entry.action(), action, false) &&
          find_unknown(entry, other, !is_plain(action)) &&
          conflict(entry.action(), action, other.block == order_.me().block))
        race(entry, other);
      // Atomic accesses of a word come one after the other, and whoever looks at the last one has
      // all of them before it. One that only read cannot stand for one that wrote: plain reads do
      // not race with it.
      if (!only_reads(action) && is_atomic(action) && is_atomic(entry.action()) &&
          (is_of_my_block(entry) ||
           (!is_for_block_only(action) && !is_for_block_only(entry.action()))))
        replace(entry);
      if (entry.code == code && (entry.what & Entry::kKind) == kind) same = &entry;
    });
    if (same == nullptr)
      links_.put(word, my_entry(code, kind));
    else
      add_to(*same);
  }

  // Calls use(code) for each instruction by which the running thread has read the word.
  template <class Use>
  void for_each_read(Word& word, Use use) {
    const ThreadOfGrid mine{order_.me().block, order_.me().thread};
    links_.for_each(word, [&](Entry& entry) {
      if ((entry.what & Entry::kMark) != 0 || entry.action() != Action::load) return;
      for_each_thread(entry, [&](const Dated& access) {
        if (access.who == mine) use(entry.code);
      });
    });
  }
  // Calls use(entry, thread, stamp) for each earlier access by another thread that the access would
  // be in a race with, if what the running thread has learned did not put them in an order.
  template <class Use>
  void for_each_learnt_of(Word& word, std::uint32_t kind, Use use) {
    const auto action = static_cast<Action>(kind & Entry::kAction);
    links_.for_each(word, [&](Entry& entry) {
      if ((entry.what & Entry::kMark) != 0 || (entry.what & kind & Entry::kBytes) == 0) return;
      for_each_thread(entry, [&](const Dated& access) {
        if (conflict(entry.action(), action, access.who.block == order_.me().block))
          use(entry, access.who, access.stamp);
      });
    });
  }

 private:
  struct Dated {
    ThreadOfGrid who;
    std::uint32_t stamp;
  };
  template <class Use>
  static void for_each_thread(const Entry& entry, Use use) {
    if (entry.is_two()) {
      use(first_of(entry));
      use(second_of(entry));
    } else {
      for_each_lane(entry.lanes(), [&](unsigned lane) {
        use({{entry.block, entry.warp() * kLanes + lane}, entry.stamp});
      });
    }
  }
  bool is_of_my_block(const Entry& entry) const {
    const std::uint32_t block = order_.me().block;
    return entry.block == block && (!entry.is_two() || entry.second_block() == block);
  }
  static Dated first_of(const Entry& e) { return {{e.block, e.thread()}, e.stamp}; }
  static Dated second_of(const Entry& e) {
    return {{e.second_block(), e.second_thread()}, e.second_stamp};
  }
  bool knows(const Dated& access, bool strong) const {
    return order_.knows(access.who.block, access.who.thread, access.stamp, strong);
  }

  // A thread of the entry whose access is not ordered with the running thread's; of two, the
  // farther one. `strong`: the running thread's access is atomic or volatile.
  bool find_unknown(const Entry& entry, ThreadOfGrid& thread, bool strong) const {
    const HappensBefore::Me& me = order_.me();
    if (entry.is_two()) {
      const Dated first = first_of(entry);
      const Dated second = second_of(entry);
      const bool knows_first = knows(first, strong);
      const bool knows_second = knows(second, strong);
      const ThreadOfGrid mine{me.block, me.thread};
      const bool is_second =
          !knows_second && (knows_first || distance(second.who, mine) > distance(first.who, mine));
      thread = is_second ? second.who : first.who;
      return !(knows_first && knows_second);
    }
    if (entry.block == me.block && entry.stamp < order_.base()) return false;
    std::uint32_t lanes = entry.lanes();
    if (entry.block == me.block && entry.warp() == me.warp)
      lanes = order_.unknown_lanes(lanes, entry.stamp, strong);
    for (; lanes != 0; lanes &= lanes - 1) {
      thread = {entry.block, entry.warp() * kLanes + lowest_lane(lanes)};
      if (!order_.knows(thread.block, thread.thread, entry.stamp, strong)) return true;
    }
    return false;
  }

  // The running thread has done once more what the entry is about.
  void add_to(Entry& entry) const {
    const HappensBefore::Me& me = order_.me();
    const Dated mine{{me.block, me.thread}, me.stamp};
    Dated first, second;
    if (entry.is_two()) {
      first = first_of(entry);
      second = second_of(entry);
      const bool knows_first = knows(first, false);
      const bool knows_second = knows(second, false);
      if (knows_first && knows_second) return replace(entry);
      if (knows_first)
        first = mine;
      else if (knows_second)
        second = mine;
      else if (mine.who < first.who)
        first = mine;
      else if (second.who < mine.who)
        second = mine;
    } else {
      if (entry.block == me.block && entry.warp() == me.warp && entry.stamp == me.stamp) {
        entry.lanes_or_second_block |= me.bit;
        return;
      }
      first.stamp = entry.stamp;
      if (!find_unknown(entry, first.who, false)) return replace(entry);
      second = mine;
    }
    if (second.who < first.who) std::swap(first, second);
    const bool wide = first.who.block != second.who.block ||
                      first.who.thread / kLanes != second.who.thread / kLanes;
    entry = {entry.code,
             (entry.what & Entry::kKind) | Entry::kTwo | (wide ? Entry::kWide : 0) |
                 first.who.thread << Entry::kThreadShift | second.who.thread << Entry::kSecondShift,
             first.who.block,
             first.stamp,
             second.who.block,
             second.stamp};
  }
  void replace(Entry& entry) const { entry = my_entry(entry.code, entry.what & Entry::kKind); }

  const HappensBefore& order_;
  Links& links_;
};

}  // namespace cucpu::trace
