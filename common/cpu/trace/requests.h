// Puts together what the lanes of a warp do one after the other: the accesses that a GPU would make
// at once become one request.
//
// Between two points at which a lane waits, its accesses are a sequence. Accesses of different
// lanes are one request if they come from the same instruction at the same place of the sequences;
// where lanes took different ways, the first access of one lane by an instruction goes with the
// first of another, the second with the second, and so on.
//
// An access only writes down its address (Cursor). Its space and its cost are found once for the
// whole request.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules.h"
#include "trace.h"

namespace cucpu::trace {

// A lane's operation: an instruction, its kind, and 1, 2, 4, 8 or 16 bytes. 0 bytes: the lane comes
// to a warp-wide operation, and only `code` (a number that the user of this class chose) has a
// meaning.
constexpr std::uint64_t operation(std::uintptr_t code, Kind kind, unsigned bytes) {
  const unsigned width = bytes == 0 ? 7 : static_cast<unsigned>(std::countr_zero(bytes));
  return std::uint64_t{code} << 5 | static_cast<unsigned>(kind) << 3 | width;
}

constexpr Kind kind_of(std::uint64_t operation) { return static_cast<Kind>(operation >> 3 & 3); }

// A request: what those lanes do together that have come to it so far.
struct Row {
  // The operation, and above it how often the lanes had waited since all last waited for one
  // another. 0: no request.
  std::uint64_t key;
  std::uint32_t lanes;
  Way way;
  // So rows do not lie a power of two apart, where those that one lane writes to would push each
  // other out of the cache.
  std::array<std::uintptr_t, kLanes> address;

  static constexpr unsigned kStageShift = 52;
  std::uint64_t operation() const { return key & ((std::uint64_t{1} << kStageShift) - 1); }
  std::uintptr_t code() const { return static_cast<std::uintptr_t>(operation() >> 5); }
  Kind kind() const { return kind_of(key); }
  bool is_arrival() const { return (key & 7) == 7; }
  unsigned bytes() const { return 1u << (key & 7); }
};

// The place where a lane writes down its next operation.
struct Cursor {
  Row* row;  // nearly always lanes do what the lane before them did
  std::uint64_t stage;
  std::uint32_t bit;
  std::uint32_t lane;

  // False: the lane does something else.
  [[gnu::always_inline]] bool add(std::uint64_t operation, std::uintptr_t address) {
    if (row->key != stage + operation || (row->lanes & bit) != 0) return false;
    row->lanes |= bit;
    row->address[lane] = address;
    ++row;
    return true;
  }
};

// The cursor of a lane that does not run: its row belongs to no operation.
extern const Cursor idle_cursor;
// The cursor of the lane that runs on this thread of the host, if its accesses are to be counted
// and nothing else.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Cursor counting_cursor;

// The warps of the block that a worker runs. Process: void(const Row&, unsigned warp), called for
// each request once all lanes have made it.
template <class Process>
class Requests {
 public:
  // The cursor is this object's alone.
  Requests(Process process, Cursor& cursor) : process_(process), cursor_(cursor) {}

  void begin_block(unsigned threads) {
    for (unsigned w = 0; w * kLanes < threads; ++w) {
      const unsigned lanes = threads - w * kLanes;
      warps_[w].live = lanes >= kLanes ? ~std::uint32_t{0} : (std::uint32_t{1} << lanes) - 1;
      warps_[w].running = warps_[w].live;
    }
  }

  // The lane runs, until it arrives or exits.
  void resume(const Thread& thread) {
    warp_ = &warps_[thread.warp];
    if (warp_->rows.empty()) {
      if (spare_.empty()) {
        warp_->rows.resize(kFewRows);
      } else {
        warp_->rows = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    several_ = warp_->used != 0;
    cursor_ = {warp_->rows.data(), std::uint64_t{warp_->stage[thread.lane]} << Row::kStageShift,
               std::uint32_t{1} << thread.lane, thread.lane};
  }

  // The next that the lane does.
  [[gnu::always_inline]] void add(std::uint64_t operation, Way way, std::uintptr_t address) {
    if (cursor_.add(operation, address)) return;
    find(cursor_.stage + operation, way);
    cursor_.add(operation, address);
  }

  // The lane that runs has come to a point at which it waits for others of its warp, namely
  // `lanes`.
  void arrive(std::uint32_t lanes) {
    ++warp_->stage[cursor_.lane];
    if ((warp_->live & ~lanes) == 0) leave();
    cursor_ = idle_cursor;
  }
  // It lets another one run.
  void suspend() { cursor_ = idle_cursor; }
  // It has come to its end.
  void exit_thread() {
    warp_->live &= ~cursor_.bit;
    leave();
    cursor_ = idle_cursor;
  }

  // Forgets what is not complete.
  void clear() {
    for (Warp& warp : warps_) forget(warp);
    cursor_ = idle_cursor;
  }

 private:
  // The first `used` ones are requests; one more is none, at which every lane stops.
  using Rows = std::vector<Row>;

  struct Warp {
    std::uint32_t live = 0;     // lanes that exist and have not exited
    std::uint32_t running = 0;  // of them, those that are not where all lanes wait for one another
    std::array<std::uint16_t, kLanes> stage{};
    Rows rows;
    std::size_t used = 0;
    std::size_t indexed = 0;  // of them, those that `index` has
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> index;  // rows by key
  };

  // Moves the cursor to the row of the lane's next operation: the first row with this key in which
  // the lane is not yet.
  [[gnu::noinline]] void find(std::uint64_t key, Way way) {
    Warp& warp = *warp_;
    if (several_) {
      for (; warp.indexed < warp.used; ++warp.indexed)
        warp.index[warp.rows[warp.indexed].key].push_back(static_cast<std::uint32_t>(warp.indexed));
      const auto found = warp.index.find(key);
      if (found != warp.index.end()) {
        // Lanes take the rows of a key in order: those that this one has are the first.
        const auto& rows = found->second;
        const auto free = std::partition_point(rows.begin(), rows.end(), [&](std::uint32_t row) {
          return (warp.rows[row].lanes & cursor_.bit) != 0;
        });
        if (free != rows.end()) {
          cursor_.row = &warp.rows[*free];
          return;
        }
      }
    }
    if (warp.used == kMostRows) {
      process(warp);
      warp.index.clear();
      warp.used = warp.indexed = 0;
    }
    const std::size_t next = warp.used++;
    if (warp.used == warp.rows.size()) warp.rows.resize(2 * warp.used);
    warp.rows[next].key = key;
    warp.rows[next].lanes = 0;
    warp.rows[next].way = way;
    warp.rows[warp.used].key = 0;
    cursor_.row = &warp.rows[next];
  }

  void leave() {
    Warp& warp = *warp_;
    warp.running &= ~cursor_.bit;
    if (warp.running != 0) return;
    process(warp);
    forget(warp);
    warp.running = warp.live;
  }

  void process(const Warp& warp) {
    const auto number = static_cast<unsigned>(&warp - warps_.data());
    for (std::size_t i = 0; i < warp.used; ++i) process_(warp.rows[i], number);
  }

  void forget(Warp& warp) {
    if (warp.indexed != 0) warp.index.clear();
    warp.used = warp.indexed = 0;
    warp.stage.fill(0);
    if (warp.rows.empty()) return;
    warp.rows[0].key = 0;
    spare_.push_back(std::move(warp.rows));
    warp.rows.clear();
  }

  static constexpr unsigned kMostWarps = 32;
  static constexpr std::size_t kFewRows = 64;
  // A lane that makes more requests without waiting, in a loop that waits for a flag perhaps, is
  // taken to be alone from here on.
  static constexpr std::size_t kMostRows = std::size_t{1} << 19;

  Process process_;
  // The lane that runs.
  Cursor& cursor_;
  Warp* warp_ = nullptr;
  bool several_ = false;  // it is not the first of its warp

  std::array<Warp, kMostWarps> warps_;
  // So that warps use the same memory, which is then near.
  std::vector<Rows> spare_;
};

}  // namespace cucpu::trace
