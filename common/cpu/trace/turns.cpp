#include "turns.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "lanes.h"

namespace cucpu::trace {
namespace {

constexpr unsigned kSectorWords = kSectorBytes / kWordBytes;

std::vector<Cell> without_turns(const Request& request) {
  std::vector<Cell> cells;
  for_each_lane(request.lanes, [&](unsigned lane) {
    const std::uintptr_t begin = request.address[lane];
    const std::uintptr_t last = (begin + request.bytes - 1) / kWordBytes;
    for (std::uintptr_t word = begin / kWordBytes; word <= last; ++word)
      cells.push_back({lane, word, 0});
  });
  return cells;
}

// Sectors travel in the order of their addresses.
void order_sectors(std::vector<Cell>& cells) {
  std::map<std::uintptr_t, unsigned> turn_of;
  for (const Cell& cell : cells) turn_of[cell.word / kSectorWords] = 0;
  unsigned next = 0;
  for (auto& [sector, turn] : turn_of) turn = next++;
  for (Cell& cell : cells) cell.turn = turn_of[cell.word / kSectorWords];
}

// Lanes that meet at one element take turns; others of its sector go along.
void order_global_atomics(const Request& request, std::vector<Cell>& cells) {
  std::array<unsigned, kLanes> rank{};             // among the lanes at its element
  std::map<std::uintptr_t, unsigned> turns_there;  // by sector
  for_each_lane(request.lanes, [&](unsigned lane) {
    for_each_lane(request.lanes & (bit_of(lane) - 1), [&](unsigned before) {
      rank[lane] += request.address[before] == request.address[lane];
    });
    unsigned& turns = turns_there[request.address[lane] / kSectorBytes];
    turns = std::max(turns, rank[lane] + 1);
  });
  unsigned first = 0;
  for (auto& [sector, turns] : turns_there) first += std::exchange(turns, first);
  for (Cell& cell : cells)
    cell.turn = turns_there[request.address[cell.lane] / kSectorBytes] + rank[cell.lane];
}

// Whether distinct words of a bank take turns, or all lanes that come to it.
enum class Who { words, lanes };

// Group after group of lanes; in each, those that come to one bank take turns. `length`: wavefronts
// that a turn takes.
void order_banks(const Request& request, unsigned size, Who who, unsigned length,
                 std::vector<Cell>& cells) {
  unsigned first = 0;
  for_each_group(request.lanes, size, [&](std::uint32_t group) {
    std::array<std::vector<std::uintptr_t>, kBanks> queues;  // words, or lanes
    unsigned most = 0;
    for (Cell& cell : cells) {
      if ((group >> cell.lane & 1) == 0) continue;
      auto& queue = queues[cell.word % kBanks];
      const std::uintptr_t waiting = who == Who::words ? cell.word : cell.lane;
      const auto place = std::find(queue.begin(), queue.end(), waiting);
      const auto turn = static_cast<unsigned>(place - queue.begin());
      if (place == queue.end()) queue.push_back(waiting);
      cell.turn = first + length * turn;
      most = std::max(most, turn + 1);
    }
    first += length * most;
  });
}

// Rounds of a loop: each lane is served in the round in which its swap succeeds.
void order_rounds(const Request& request, std::vector<Cell>& cells) {
  constexpr unsigned kPasses = 2;  // that a compare-and-swap takes
  std::array<unsigned, kLanes> turn_of{};
  unsigned next = 0;
  for (Request left = request; left.lanes != 0;) {
    const std::uint32_t served = first_in_their_banks(left);
    for_each_group(left.lanes, lanes_at_once(left), [&](std::uint32_t group) {
      for_each_lane(group & served, [&](unsigned lane) { turn_of[lane] = next; });
      next += kPasses;
    });
    left.lanes &= ~served;
  }
  for (Cell& cell : cells) cell.turn = turn_of[cell.lane];
}

}  // namespace

std::vector<Cell> cells_of(const Request& request, Space space, Kind kind, Way way) {
  std::vector<Cell> cells = without_turns(request);
  if (space == Space::global) {
    if (kind == Kind::atomic)
      order_global_atomics(request, cells);
    else
      order_sectors(cells);
  } else if (kind != Kind::atomic) {
    const bool waits = way == Way::copy && request.bytes <= 8;  // as copy_cost has it
    order_banks(request, lanes_together(request), waits ? Who::lanes : Who::words, 1, cells);
  } else if (way == Way::loop) {
    order_rounds(request, cells);
  } else {
    order_banks(request, lanes_at_once(request), way == Way::count ? Who::words : Who::lanes,
                way == Way::compare_and_swap ? 2 : 1, cells);
  }
  return cells;
}

}  // namespace cucpu::trace
