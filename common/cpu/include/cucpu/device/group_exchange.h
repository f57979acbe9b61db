// Exchanges among lanes that groups are made of: by rank, and of values of any size.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cucpu/device/warp.h"

namespace cucpu {

// How many lanes of the set come before the caller's.
inline unsigned rank_in(unsigned lanes) {
  return static_cast<unsigned>(__builtin_popcount(lanes & ((1u << lane_id()) - 1)));
}

// The lane that has that many lanes of the set before it; 32 if there is none.
inline unsigned lane_of_rank(unsigned lanes, unsigned rank) {
  for (; rank > 0 && lanes != 0; --rank) lanes &= lanes - 1;
  return lanes == 0 ? 32 : static_cast<unsigned>(__builtin_ctz(lanes));
}

// Moves the bit of each lane in `group` to the bit of its rank there.
inline unsigned ranks_of(unsigned lanes, unsigned group) {
  unsigned ranks = 0;
  for (unsigned bit = 1; group != 0; bit <<= 1, group &= group - 1) {
    if ((lanes & group & (0u - group)) != 0) ranks |= bit;
  }
  return ranks;
}

// Shows each word of `value` to the other lanes of the mask: `look(word, exchange)`.
template <class T, class Look>
void exchange_words(unsigned mask, const T& value, const char* what, Site site, Look look) {
  static_assert(std::is_trivially_copyable_v<T>, "lanes exchange the bytes of a value");
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  for (std::size_t begin = 0; begin < sizeof(T); begin += kWord) {
    const std::size_t bytes = sizeof(T) - begin < kWord ? sizeof(T) - begin : kWord;
    std::uint64_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const char*>(&value) + begin, bytes);
    look(begin, bytes, exchange(mask, bits, what, site));
  }
}

template <class T>
T value_from_lane(unsigned mask, const T& value, unsigned lane, const char* what, Site site) {
  if constexpr (WarpValue<T>)
    return value_of<T>(exchange_for_one(mask, to_bits(value), what, site), lane);
  T result = value;
  exchange_words(mask, value, what, site,
                 [&](std::size_t begin, std::size_t bytes, const WarpExchange& all) {
                   const std::uint64_t word = value_of<std::uint64_t>(all, lane);
                   std::memcpy(reinterpret_cast<char*>(&result) + begin, &word, bytes);
                 });
  return result;
}

// The values of all lanes of the mask that are there, by rank.
template <class T>
struct LaneValues {
  unsigned count = 0;
  T value[32];
};
template <class T>
LaneValues<T> gather_lanes(unsigned mask, const T& value, const char* what, Site site) {
  LaneValues<T> gathered;
  exchange_words(mask, value, what, site,
                 [&](std::size_t begin, std::size_t bytes, const WarpExchange& all) {
                   gathered.count = 0;
                   for (unsigned rest = all.lanes; rest != 0; rest &= rest - 1) {
                     T& slot = gathered.value[gathered.count++];
                     std::memcpy(reinterpret_cast<char*>(&slot) + begin,
                                 &all.value[__builtin_ctz(rest)], bytes);
                   }
                 });
  return gathered;
}

}  // namespace cucpu
