// Sets of lanes of a warp, a bit each.
#pragma once

#include <bit>
#include <cstdint>

namespace cucpu {

constexpr std::uint32_t bit_of(unsigned lane) { return std::uint32_t{1} << lane; }

// `lanes` must not be empty.
constexpr unsigned lowest_lane(std::uint32_t lanes) {
  return static_cast<unsigned>(std::countr_zero(lanes));
}
constexpr unsigned highest_lane(std::uint32_t lanes) {
  return 31 - static_cast<unsigned>(std::countl_zero(lanes));
}

// Calls visit(lane) for each lane, in ascending order.
template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(lowest_lane(lanes));
}

// Calls visit(group) for each group of `size` neighboring lanes (a power of two) of which some are
// in the set.
template <class Visit>
void for_each_group(std::uint32_t lanes, unsigned size, Visit visit) {
  constexpr unsigned kAll = 32;
  const std::uint32_t mask = size == kAll ? ~0u : bit_of(size) - 1;
  for (unsigned first = 0; first < kAll; first += size)
    if (const std::uint32_t group = lanes & mask << first; group != 0) visit(group);
}

}  // namespace cucpu
