#include "rules.h"

#include <algorithm>
#include <array>
#include <bit>

namespace cucpu::trace {
namespace {

// Calls visit(lane) for each lane, in ascending order.
template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

// Whether the lanes' accesses lie one after the other, without gaps.
bool is_contiguous(const Request& request) {
  const unsigned first = static_cast<unsigned>(std::countr_zero(request.lanes));
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

// Distinct words, by bank.
class Banks {
 public:
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
  static constexpr unsigned kMost = 4 * kLanes;  // 16 bytes a lane
  std::array<std::uint8_t, kBanks> count_{};
  std::array<std::array<std::uintptr_t, kBanks>, kMost> words_;
  unsigned passes_ = 0;
  unsigned words_in_all_ = 0;
};

// What lanes that are served at once take.
struct Served {
  unsigned passes;  // over the banks: the most distinct words in one bank
  unsigned words;   // distinct ones
};
Served serve(const Request& request, std::uint32_t lanes) {
  if (lanes == 0) return {0, 0};
  // Nearly always all words lie in one row of the banks.
  const std::uintptr_t row_bytes = kBanks * kWordBytes;
  const std::uintptr_t row = request.address[std::countr_zero(lanes)] / row_bytes;
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
  Banks banks;
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uintptr_t begin = request.address[lane];
    const std::uintptr_t last = (begin + request.bytes - 1) / kWordBytes;
    for (std::uintptr_t word = begin / kWordBytes; word <= last; ++word) banks.touch(word);
  });
  return {banks.passes(), banks.words()};
}

// Whether each lane and the one whose number differs by `distance` access the same address.
bool is_shared_by_pairs(const Request& request, unsigned distance) {
  bool same = true;
  for_each_lane(request.lanes, [&](unsigned lane) {
    const unsigned other = lane ^ distance;
    same &= (request.lanes >> other & 1) != 0 && request.address[lane] == request.address[other];
  });
  return same;
}

}  // namespace

GlobalCost global_cost(const Request& request) {
  const unsigned active = static_cast<unsigned>(std::popcount(request.lanes));
  if (active == 0) return {0, 0};
  if (is_contiguous(request)) {
    const std::uintptr_t begin = request.address[std::countr_zero(request.lanes)];
    const unsigned bytes = active * request.bytes;
    const std::uintptr_t last = (begin + bytes - 1) / kSectorBytes;
    return {static_cast<unsigned>(last - begin / kSectorBytes + 1), bytes};
  }
  Sectors sectors;
  for_each_lane(request.lanes,
                [&](unsigned lane) { sectors.touch(request.address[lane], request.bytes); });
  return sectors.cost();
}

SharedCost shared_cost(const Request& request) {
  const unsigned words = std::max(1u, request.bytes / kWordBytes);
  const unsigned group_lanes = kLanes / words;  // that one pass can serve
  const Served warp = serve(request, request.lanes);
  SharedCost cost{0, 0, warp.words};
  unsigned groups = 0;
  for (unsigned first = 0; first < kLanes; first += group_lanes) {
    const std::uint32_t group =
        group_lanes == kLanes ? ~0u : ((std::uint32_t{1} << group_lanes) - 1) << first;
    cost.wavefronts += words == 1 ? warp.passes : serve(request, request.lanes & group).passes;
    groups += (request.lanes & group) != 0;
  }
  // Two groups are loaded in one pass where lanes share and the whole warp needs one word a bank.
  if (request.load && groups > 1 && warp.passes == 1 &&
      (is_shared_by_pairs(request, 1) || is_shared_by_pairs(request, 2)))
    cost.wavefronts = groups = (groups + 1) / 2;
  cost.conflicts = cost.wavefronts - groups;
  return cost;
}

}  // namespace cucpu::trace
