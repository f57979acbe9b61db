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

}  // namespace cucpu
