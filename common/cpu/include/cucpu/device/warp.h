// Shuffles, votes, matches and reductions among the lanes of a warp.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cucpu/exchange.h"

namespace cucpu {

template <class T>
constexpr bool kIsExchanged = std::is_arithmetic_v<T> && sizeof(T) <= sizeof(std::uint64_t);
template <class T>
concept WarpValue = kIsExchanged<T>;

template <class T>
concept WarpInteger = std::is_same_v<T, int> || std::is_same_v<T, unsigned>;

template <class T>
std::uint64_t to_bits(const T& value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

#ifdef CUCPU_TRACED
// The bits that a lane brought. If it brought none: a mark, whose use is reported.
std::uint64_t bits_from_lane(const WarpExchange& exchange, unsigned lane, unsigned bytes,
                             bool is_floating);
#else
[[gnu::always_inline]] inline std::uint64_t bits_from_lane(const WarpExchange& exchange,
                                                           unsigned lane, unsigned, bool) {
  return exchange.has(lane) ? exchange.value[lane] : ~std::uint64_t{0};
}
#endif

// The value that a lane brought. If it brought none: a NaN, or the integer -1.
template <class T>
T value_of(const WarpExchange& exchange, unsigned lane) {
  return from_bits<T>(bits_from_lane(exchange, lane, sizeof(T), std::is_floating_point_v<T>));
}

// The lanes of the exchange for which `holds(value)` is true.
template <class Predicate>
unsigned lanes_where(const WarpExchange& exchange, Predicate holds) {
  unsigned lanes = 0;
  for (unsigned rest = exchange.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (holds(exchange.value[lane])) lanes |= 1u << lane;
  }
  return lanes;
}

inline bool is_set(std::uint64_t value) { return value != 0; }

// op over the values of all lanes, in lane order; at least the caller's is there.
template <class T, class Op>
T fold_lanes(const WarpExchange& exchange, Op op) {
  unsigned rest = exchange.lanes;
  T result = from_bits<T>(exchange.value[__builtin_ctz(rest)]);
  for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
    result = op(result, from_bits<T>(exchange.value[__builtin_ctz(rest)]));
  }
  return result;
}

}  // namespace cucpu

// --- Shuffles: `width` (a power of two) cuts the warp into segments that know nothing of one
// another, except that xor may read from an earlier one. Out of its segment, up, down and xor give
// the caller its own value. ---

template <cucpu::WarpValue T>
CUCPU_SHUFFLE T __shfl_sync(unsigned mask, T value, int source, int width = warpSize,
                            cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all =
      cucpu::exchange_for_one(mask, cucpu::to_bits(value), "__shfl_sync", site);
  const unsigned segment = cucpu::lane_of_caller() & ~(width - 1u);
  return cucpu::value_of<T>(all, segment | (source & (width - 1u)));
}

template <cucpu::WarpValue T>
CUCPU_SHUFFLE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                               cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all =
      cucpu::exchange_for_one(mask, cucpu::to_bits(value), "__shfl_up_sync", site);
  const unsigned lane = cucpu::lane_of_caller();
  const unsigned rank = lane & (width - 1u);
  return delta > rank ? value : cucpu::value_of<T>(all, lane - delta);
}

template <cucpu::WarpValue T>
CUCPU_SHUFFLE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                                 cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all =
      cucpu::exchange_for_one(mask, cucpu::to_bits(value), "__shfl_down_sync", site);
  const unsigned lane = cucpu::lane_of_caller();
  const unsigned rank = lane & (width - 1u);
  return delta >= width - rank ? value : cucpu::value_of<T>(all, lane + delta);
}

template <cucpu::WarpValue T>
CUCPU_SHUFFLE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize,
                                cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all =
      cucpu::exchange_for_one(mask, cucpu::to_bits(value), "__shfl_xor_sync", site);
  const unsigned lane = cucpu::lane_of_caller();
  const unsigned source = lane ^ (lane_mask & (warpSize - 1u));
  const unsigned segment_end = lane | (width - 1u);
  return source > segment_end ? value : cucpu::value_of<T>(all, source);
}

// --- Votes ---

inline int __all_sync(unsigned mask, int predicate, cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all = cucpu::exchange(mask, predicate != 0, "__all_sync", site);
  return cucpu::lanes_where(all, cucpu::is_set) == all.lanes;
}
inline int __any_sync(unsigned mask, int predicate, cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all = cucpu::exchange(mask, predicate != 0, "__any_sync", site);
  return cucpu::lanes_where(all, cucpu::is_set) != 0;
}
// True where all lanes agree on whether the predicate holds.
inline int __uni_sync(unsigned mask, int predicate, cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all = cucpu::exchange(mask, predicate != 0, "__uni_sync", site);
  const unsigned lanes = cucpu::lanes_where(all, cucpu::is_set);
  return lanes == 0 || lanes == all.lanes;
}
inline unsigned __ballot_sync(unsigned mask, int predicate,
                              cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all = cucpu::exchange(mask, predicate != 0, "__ballot_sync", site);
  return cucpu::lanes_where(all, cucpu::is_set);
}
[[gnu::always_inline]] inline unsigned __activemask(cucpu::Site site = cucpu::Site::current()) {
  return cucpu::active_mask(site, __builtin_return_address(0));
}

// --- Matches: values are compared bit by bit ---

// The lanes that brought the caller's value.
template <cucpu::WarpValue T>
unsigned __match_any_sync(unsigned mask, T value, cucpu::Site site = cucpu::Site::current()) {
  const std::uint64_t mine = cucpu::to_bits(value);
  const cucpu::WarpExchange& all = cucpu::exchange(mask, mine, "__match_any_sync", site);
  return cucpu::lanes_where(all, [mine](std::uint64_t bits) { return bits == mine; });
}
// The mask if all lanes brought the same value, else 0.
template <cucpu::WarpValue T>
unsigned __match_all_sync(unsigned mask, T value, int* all_equal,
                          cucpu::Site site = cucpu::Site::current()) {
  const std::uint64_t mine = cucpu::to_bits(value);
  const cucpu::WarpExchange& all = cucpu::exchange(mask, mine, "__match_all_sync", site);
  const unsigned lanes = cucpu::lanes_where(all, [mine](std::uint64_t b) { return b == mine; });
  *all_equal = lanes == all.lanes;
  return *all_equal != 0 ? lanes : 0;
}

// --- Reductions ---

template <cucpu::WarpInteger T>
T __reduce_add_sync(unsigned mask, T value, cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all =
      cucpu::exchange(mask, cucpu::to_bits(value), "__reduce_add_sync", site);
  // Wraps round, as the device's sum does.
  return static_cast<T>(
      cucpu::fold_lanes<unsigned>(all, [](unsigned a, unsigned b) { return a + b; }));
}
template <cucpu::WarpInteger T>
T __reduce_min_sync(unsigned mask, T value, cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all =
      cucpu::exchange(mask, cucpu::to_bits(value), "__reduce_min_sync", site);
  return cucpu::fold_lanes<T>(all, [](T a, T b) { return b < a ? b : a; });
}
template <cucpu::WarpInteger T>
T __reduce_max_sync(unsigned mask, T value, cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all =
      cucpu::exchange(mask, cucpu::to_bits(value), "__reduce_max_sync", site);
  return cucpu::fold_lanes<T>(all, [](T a, T b) { return a < b ? b : a; });
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value,
                                  cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all = cucpu::exchange(mask, value, "__reduce_and_sync", site);
  return cucpu::fold_lanes<unsigned>(all, [](unsigned a, unsigned b) { return a & b; });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value,
                                 cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all = cucpu::exchange(mask, value, "__reduce_or_sync", site);
  return cucpu::fold_lanes<unsigned>(all, [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value,
                                  cucpu::Site site = cucpu::Site::current()) {
  const cucpu::WarpExchange& all = cucpu::exchange(mask, value, "__reduce_xor_sync", site);
  return cucpu::fold_lanes<unsigned>(all, [](unsigned a, unsigned b) { return a ^ b; });
}
