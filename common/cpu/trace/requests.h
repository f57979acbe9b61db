// Puts together what the lanes of a warp do one after the other: the accesses that a GPU would make
// at once become one request.
//
// Between two points at which a lane waits, its accesses are a sequence. Accesses of different
// lanes are one request if they come from the same instruction at the same place of the sequences;
// where lanes took different ways, the first access of one lane by an instruction goes with the
// first of another, the second with the second, and so on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules.h"
#include "trace.h"

namespace cucpu::trace {

// The accesses of a warp's lanes that are one request; or their arrivals at one warp-wide
// operation, of which only `code` (a number that the user of this class chose) means something.
struct WarpAccess {
  unsigned warp;  // of the block
  std::uintptr_t code;
  std::uint32_t lanes;
  unsigned bytes;  // 0: an arrival
  Kind kind;
  Space space;
  Way way;
  const std::uintptr_t* address;  // (kLanes)
};

// The warps of the block that a worker runs. Process: void(const WarpAccess&), called for each
// request once all lanes have made it.
template <class Process>
class Requests {
 public:
  explicit Requests(Process process) : process_(process) {}

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
    lane_ = thread.lane;
    bit_ = std::uint32_t{1} << thread.lane;
    next_ = 0;
    stage_key_ = std::uint64_t{warp_->stage[lane_]} << kStageShift;
    several_ = warp_->used != 0;
    if (warp_->rows.empty() && !spare_.empty()) {
      warp_->rows = std::move(spare_.back().first);
      warp_->addresses = std::move(spare_.back().second);
      spare_.pop_back();
    }
  }

  // The next access of the lane that runs.
  void add(std::uintptr_t code, unsigned bytes, Kind kind, Space space, Way way,
           std::uintptr_t address) {
    const std::uint64_t key = stage_key_ + (std::uint64_t{code} << kCodeShift) + bytes;
    // Lanes nearly always do what the lane before them did.
    if (next_ == warp_->used || warp_->rows[next_].key != key ||
        (warp_->rows[next_].lanes & bit_) != 0) [[unlikely]]
      find(key, kind, space, way);
    warp_->rows[next_].lanes |= bit_;
    warp_->addresses[next_][lane_] = address;
    ++next_;
  }

  // The lane that runs has come to a point at which it waits for others of its warp, namely
  // `lanes`.
  void arrive(std::uint32_t lanes) {
    ++warp_->stage[lane_];
    if ((warp_->live & ~lanes) == 0) leave();
  }
  // It has come to its end.
  void exit_thread() {
    warp_->live &= ~bit_;
    leave();
  }

  // Forgets what is not complete.
  void clear() {
    for (Warp& warp : warps_) forget(warp);
  }

 private:
  // How often the lane had waited since all lanes last waited for one another, the instruction, and
  // the bytes.
  static constexpr unsigned kStageShift = 52;
  static constexpr unsigned kCodeShift = 5;

  struct Row {
    std::uint64_t key;
    std::uint32_t lanes;
    Kind kind;
    Space space;
    Way way;
  };
  using Rows = std::vector<Row>;
  using Addresses = std::vector<std::array<std::uintptr_t, kLanes>>;

  struct Warp {
    std::uint32_t live = 0;     // lanes that exist and have not exited
    std::uint32_t running = 0;  // of them, those that are not where all lanes wait for one another
    std::array<std::uint16_t, kLanes> stage{};
    Rows rows;
    Addresses addresses;
    std::size_t used = 0;     // rows in use
    std::size_t indexed = 0;  // of them, those that `index` has
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> index;  // rows by key
  };

  // Sets `next_` to the row of the lane's access: the first with this key that it has not got.
  [[gnu::noinline]] void find(std::uint64_t key, Kind kind, Space space, Way way) {
    Warp& warp = *warp_;
    if (several_) {
      for (; warp.indexed < warp.used; ++warp.indexed)
        warp.index[warp.rows[warp.indexed].key].push_back(static_cast<std::uint32_t>(warp.indexed));
      const auto found = warp.index.find(key);
      if (found != warp.index.end()) {
        // Lanes take the rows of a key in order: those that this one has are the first.
        const auto& rows = found->second;
        const auto free = std::partition_point(rows.begin(), rows.end(), [&](std::uint32_t row) {
          return (warp.rows[row].lanes & bit_) != 0;
        });
        if (free != rows.end()) {
          next_ = *free;
          return;
        }
      }
    }
    if (warp.used == kMostRows) {
      process(warp);
      warp.index.clear();
      warp.used = warp.indexed = 0;
    }
    if (warp.used == warp.rows.size()) {
      const std::size_t size = warp.used == 0 ? kFewRows : 2 * warp.used;
      warp.rows.resize(size);
      warp.addresses.resize(size);
    }
    next_ = warp.used++;
    warp.rows[next_] = {key, 0, kind, space, way};
  }

  void leave() {
    Warp& warp = *warp_;
    warp.running &= ~bit_;
    if (warp.running != 0) return;
    process(warp);
    forget(warp);
    warp.running = warp.live;
  }

  void process(const Warp& warp) {
    const auto number = static_cast<unsigned>(&warp - warps_.data());
    for (std::size_t i = 0; i < warp.used; ++i) {
      const Row& row = warp.rows[i];
      const std::uint64_t code_and_bytes = row.key & ((std::uint64_t{1} << kStageShift) - 1);
      process_({number, static_cast<std::uintptr_t>(code_and_bytes >> kCodeShift), row.lanes,
                static_cast<unsigned>(code_and_bytes & ((1u << kCodeShift) - 1)), row.kind,
                row.space, row.way, warp.addresses[i].data()});
    }
  }

  void forget(Warp& warp) {
    if (warp.indexed != 0) warp.index.clear();
    warp.used = warp.indexed = 0;
    warp.stage.fill(0);
    if (warp.rows.empty()) return;
    spare_.emplace_back(std::move(warp.rows), std::move(warp.addresses));
    warp.rows.clear();
    warp.addresses.clear();
  }

  static constexpr unsigned kMostWarps = 32;
  static constexpr std::size_t kFewRows = 64;
  // A lane that makes more requests without waiting, in a loop that waits for a flag perhaps, is
  // taken to be alone from here on.
  static constexpr std::size_t kMostRows = std::size_t{1} << 19;

  Process process_;
  // The lane that runs.
  Warp* warp_ = nullptr;
  unsigned lane_ = 0;
  std::uint32_t bit_ = 0;
  std::size_t next_ = 0;  // the row that it is expected to take
  std::uint64_t stage_key_ = 0;
  bool several_ = false;  // it is not the first of its warp

  std::array<Warp, kMostWarps> warps_;
  // So that warps use the same memory, which is then near.
  std::vector<std::pair<Rows, Addresses>> spare_;
};

}  // namespace cucpu::trace
