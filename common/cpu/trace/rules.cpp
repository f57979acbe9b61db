#include "rules.h"

#include <algorithm>
#include <array>
#include <bit>

#include "lanes.h"

namespace cucpu::trace {
namespace {

// Whether the lanes' accesses lie one after the other, without gaps.
bool is_contiguous(const Request& request) {
  const unsigned first = lowest_lane(request.lanes);
  std::uintptr_t next = request.address[first];
  bool contiguous = true;
  for_each_lane(request.lanes, [&](unsigned lane) {
    contiguous &= request.address[lane] == next;
    next += request.bytes;
  });
  return contiguous;
}

// Distinct 32-byte sectors, and which of their bytes were touched.
class Sectors {
 public:
  void touch(std::uintptr_t begin, unsigned bytes) {
    const std::uintptr_t last = (begin + bytes - 1) / kSectorBytes;
    for (std::uintptr_t sector = begin / kSectorBytes; sector <= last; ++sector) {
      const std::uintptr_t low = std::max(begin, sector * kSectorBytes) % kSectorBytes;
      const std::uintptr_t high =
          std::min<std::uintptr_t>(begin + bytes - sector * kSectorBytes, kSectorBytes);
      const std::uint64_t mask = (std::uint64_t{1} << high) - (std::uint64_t{1} << low);
      bytes_[index_of(sector)] |= static_cast<std::uint32_t>(mask);
    }
  }
  GlobalCost cost() const {
    GlobalCost cost{count_, 0};
    for (unsigned i = 0; i < count_; ++i)
      cost.bytes += static_cast<unsigned>(std::popcount(bytes_[i]));
    return cost;
  }

 private:
  unsigned index_of(std::uintptr_t sector) {
    for (unsigned i = count_; i > 0 && sector <= highest_; --i)
      if (sector_[i - 1] == sector) return i - 1;
    highest_ = count_ == 0 ? sector : std::max(highest_, sector);
    sector_[count_] = sector;
    bytes_[count_] = 0;
    return count_++;
  }

  static constexpr unsigned kMost = 2 * kLanes;  // a misaligned access touches two
  std::array<std::uintptr_t, kMost> sector_;
  std::array<std::uint32_t, kMost> bytes_;
  std::uintptr_t highest_ = 0;
  unsigned count_ = 0;
};

// Distinct words, by bank. Large, and used on the stack of a CUDA thread: there is one for each
// thread of the host.
class Banks {
 public:
  void clear() {
    count_ = {};
    passes_ = words_in_all_ = 0;
  }
  void touch(std::uintptr_t word) {
    const std::size_t bank = word % kBanks;
    const unsigned count = count_[bank];
    for (unsigned i = 0; i < count; ++i)
      if (words_[i][bank] == word) return;
    words_[count][bank] = word;
    count_[bank] = static_cast<std::uint8_t>(count + 1);
    passes_ = std::max(passes_, count + 1);
    ++words_in_all_;
  }
  unsigned passes() const { return passes_; }
  unsigned words() const { return words_in_all_; }

 private:
  static constexpr unsigned kMost = 4 * kLanes;  // 16 bytes per lane
  std::array<std::uint8_t, kBanks> count_{};
  std::array<std::array<std::uintptr_t, kBanks>, kMost> words_{};
  unsigned passes_ = 0;
  unsigned words_in_all_ = 0;
};
constinit thread_local Banks banks_of_request;

// The cost of serving some lanes at once.
struct Served {
  unsigned passes;  // over the banks: the most distinct words in one bank
  unsigned words;   // distinct ones
};
Served serve(const Request& request, std::uint32_t lanes) {
  if (lanes == 0) return {0, 0};
  // Nearly always all words lie in one row of the banks.
  const std::uintptr_t row_bytes = kBanks * kWordBytes;
  const std::uintptr_t row = request.address[lowest_lane(lanes)] / row_bytes;
  bool one_row = true;
  std::uint64_t used = 0;  // banks
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uintptr_t begin = request.address[lane];
    const std::uintptr_t end = begin + request.bytes - 1;
    one_row &= begin / row_bytes == row && end / row_bytes == row;
    const unsigned first = begin / kWordBytes % kBanks;
    const unsigned words = static_cast<unsigned>(end / kWordBytes - begin / kWordBytes + 1);
    used |= ((std::uint64_t{1} << words) - 1) << first;
  });
  if (one_row) return {1, static_cast<unsigned>(std::popcount(used))};
  Banks& banks = banks_of_request;
  banks.clear();
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uintptr_t begin = request.address[lane];
    const std::uintptr_t last = (begin + request.bytes - 1) / kWordBytes;
    for (std::uintptr_t word = begin / kWordBytes; word <= last; ++word) banks.touch(word);
  });
  return {banks.passes(), banks.words()};
}

// Whether each lane and the one whose number differs by `distance`, if that takes part, access the
// same address.
bool is_shared_by_pairs(const Request& request, unsigned distance) {
  bool same = true;
  for_each_lane(request.lanes, [&](unsigned lane) {
    const unsigned other = lane ^ distance;
    same &= (request.lanes >> other & 1) == 0 || request.address[lane] == request.address[other];
  });
  return same;
}

unsigned bank_of(std::uintptr_t address) {
  return static_cast<unsigned>(address / kWordBytes % kBanks);
}

// The most lanes that come to one bank, whether for different words or for the same.
unsigned most_lanes_in_a_bank(const Request& request, std::uint32_t lanes) {
  std::array<unsigned, kBanks> count{};
  unsigned most = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    most = std::max(most, ++count[bank_of(request.address[lane])]);
  });
  return most;
}

// Distinct cache lines.
unsigned count_lines(const Request& request, std::uint32_t lanes) {
  std::array<std::uintptr_t, kLanes> lines;
  unsigned count = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uintptr_t line = request.address[lane] / kLineBytes;
    if (std::find(lines.begin(), lines.begin() + count, line) == lines.begin() + count)
      lines[count++] = line;
  });
  return count;
}

void add(SharedCost& sum, const SharedCost& cost) {
  sum.wavefronts += cost.wavefronts;
  sum.conflicts += cost.conflicts;
  sum.words += cost.words;
}

}  // namespace

// 32 words together, if no two lanes are in each other's way.
unsigned lanes_at_once(const Request& request) {
  return kLanes / std::max(1u, request.bytes / kWordBytes);
}

unsigned lanes_together(const Request& request) {
  const unsigned size = lanes_at_once(request);
  // Loads of two groups become one where lanes share in pairs.
  const bool pairs = request.load && size < kLanes &&
                     (is_shared_by_pairs(request, 1) || is_shared_by_pairs(request, 2));
  return pairs ? 2 * size : size;
}

std::uint32_t first_in_their_banks(const Request& request) {
  std::uint32_t winners = 0;
  for_each_group(request.lanes, lanes_at_once(request), [&](std::uint32_t group) {
    std::uint32_t taken = 0;  // banks
    std::uint32_t first = 0;  // lanes
    for_each_lane(group, [&](unsigned lane) {
      const std::uint32_t bank = std::uint32_t{1} << bank_of(request.address[lane]);
      if ((taken & bank) != 0) return;
      taken |= bank;
      bool changed = false;
      for_each_lane(winners, [&](unsigned winner) {
        changed |= request.address[winner] == request.address[lane];
      });
      if (!changed) first |= bit_of(lane);
    });
    winners |= first;
  });
  return winners;
}

GlobalCost global_cost(const Request& request) {
  const unsigned active = static_cast<unsigned>(std::popcount(request.lanes));
  if (active == 0) return {0, 0};
  if (is_contiguous(request)) {
    const std::uintptr_t begin = request.address[lowest_lane(request.lanes)];
    const unsigned bytes = active * request.bytes;
    const std::uintptr_t last = (begin + bytes - 1) / kSectorBytes;
    return {static_cast<unsigned>(last - begin / kSectorBytes + 1), bytes};
  }
  Sectors sectors;
  for_each_lane(request.lanes,
                [&](unsigned lane) { sectors.touch(request.address[lane], request.bytes); });
  return sectors.cost();
}

GlobalCost global_atomic_cost(const Request& request) {
  GlobalCost cost = global_cost(request);
  cost.sectors = 0;
  struct Sector {
    std::uintptr_t number;
    unsigned turns;
  };
  std::array<Sector, kLanes> sectors;
  unsigned used = 0;
  for_each_lane(request.lanes, [&](unsigned lane) {
    const std::uintptr_t address = request.address[lane];
    unsigned turns = 0;
    for_each_lane(request.lanes,
                  [&](unsigned other) { turns += request.address[other] == address; });
    unsigned i = 0;
    while (i < used && sectors[i].number != address / kSectorBytes) ++i;
    if (i == used) sectors[used++] = {address / kSectorBytes, 0};
    sectors[i].turns = std::max(sectors[i].turns, turns);
  });
  for (unsigned i = 0; i < used; ++i) cost.sectors += sectors[i].turns;
  return cost;
}

SharedCost shared_cost(const Request& request) {
  SharedCost cost{0, 0, serve(request, request.lanes).words};
  for_each_group(request.lanes, lanes_together(request), [&](std::uint32_t group) {
    const unsigned passes = serve(request, group).passes;
    cost.wavefronts += passes;
    cost.conflicts += passes - 1;
  });
  return cost;
}

SharedCost copy_cost(const Request& to, const std::uintptr_t* from) {
  if (to.bytes > 8) return shared_cost(to);
  const Request source{to.lanes, to.bytes, true, from};
  SharedCost cost{0, 0, serve(to, to.lanes).words};
  for_each_group(to.lanes, lanes_at_once(to), [&](std::uint32_t group) {
    // The banks of the L1 cache are those of shared memory. Lanes take turns on either side, and
    // also for the same word.
    const unsigned passes =
        std::max(most_lanes_in_a_bank(source, group), most_lanes_in_a_bank(to, group));
    // The cache looks up four lines in each pass: that many passes are no conflict.
    const unsigned needed = (count_lines(source, group) + 3) / 4;
    cost.wavefronts += passes;
    cost.conflicts += passes - std::min(passes, needed);
  });
  return cost;
}

SharedAtomicCost shared_atomic_cost(const Request& request, Way way) {
  SharedAtomicCost cost{};
  if (way != Way::loop) {
    cost.rounds = 1;
    cost.threads = static_cast<unsigned>(std::popcount(request.lanes));
    cost.atomic.words = serve(request, request.lanes).words;
    for_each_group(request.lanes, lanes_at_once(request), [&](std::uint32_t group) {
      const unsigned passes =
          way == Way::count ? serve(request, group).passes : most_lanes_in_a_bank(request, group);
      cost.atomic.wavefronts += way == Way::compare_and_swap ? 2 * passes : passes;
      cost.atomic.conflicts += passes - 1;
    });
    return cost;
  }
  Request left = request;
  while (left.lanes != 0) {
    ++cost.rounds;
    cost.threads += static_cast<unsigned>(std::popcount(left.lanes));
    left.load = true;
    const SharedCost load = shared_cost(left);
    add(cost.load, load);
    cost.atomic.words += load.words;
    // All that lose do so within the two passes of those that win.
    for_each_group(left.lanes, lanes_at_once(left),
                   [&](std::uint32_t) { cost.atomic.wavefronts += 2; });
    left.lanes &= ~first_in_their_banks(left);
  }
  return cost;
}

}  // namespace cucpu::trace
