#include "undefined_values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "cucpu/execution.h"
#include "lanes.h"
#include "report.h"

namespace cucpu::trace {
namespace {

// Arithmetic hands a NaN on as it is.
constexpr std::uint32_t kFloatMark = 0x7fd5a1ce;
constexpr std::uint64_t kDoubleMark = 0x7ffbb67ae8584caa;

bool is_floating_mark(std::uint64_t bits, unsigned bytes) {
  // A float may have become a double, whose digits are its first ones.
  constexpr std::uint64_t kWidened = 0x7ff0000000000000 | std::uint64_t{kFloatMark & 0x7fffff}
                                                              << 29;
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if (bytes == 4) return (bits & 0x7fffffff) == kFloatMark;
  return (bits & ~kSign) == kDoubleMark || (bits & ~kSign) == kWidened;
}

template <class Unsigned>
bool is_combined(std::uint64_t result, std::uint64_t brought, std::uint64_t taken) {
  using Signed = std::make_signed_t<Unsigned>;
  const auto r = static_cast<Unsigned>(result);
  const auto a = static_cast<Unsigned>(brought);
  const auto b = static_cast<Unsigned>(taken);
  if (r == a) return false;
  const auto minimum = std::min(static_cast<Signed>(a), static_cast<Signed>(b));
  const auto maximum = std::max(static_cast<Signed>(a), static_cast<Signed>(b));
  for (const Unsigned value :
       {b, Unsigned(a + b), Unsigned(a - b), Unsigned(b - a), Unsigned(a ^ b), Unsigned(minimum),
        Unsigned(maximum), std::min(a, b), std::max(a, b)})
    if (r == value) return true;
  // The others leave so little of b, for some a, that many a program has such a value.
  constexpr int kHalf = 4 * sizeof(Unsigned);
  return (r == Unsigned(a & b) && std::popcount(a) >= kHalf) ||
         (r == Unsigned(a | b) && std::popcount(a) <= kHalf) ||
         (r == Unsigned(a * b) && std::countr_zero(a) <= kHalf);
}

// Whether a thread that brought and took these values has made the result of both, or of the one
// it took.
bool comes_from(std::uint64_t result, unsigned bytes, std::uint64_t brought, std::uint64_t taken,
                unsigned step_bytes, bool is_floating) {
  if (is_floating) return is_floating_mark(result, bytes);
  if (bytes != step_bytes) return false;
  return bytes == 4 ? is_combined<std::uint32_t>(result, brought, taken)
                    : is_combined<std::uint64_t>(result, brought, taken);
}

constexpr bool is_followed(unsigned bytes) { return bytes == 4 || bytes == 8; }

}  // namespace

void UndefinedValues::begin_block() {
  stored_.bytes = 0;
  if (is_clean_) return;
  is_clean_ = true;
  for (Lane& lane : lanes_) lane.count = 0, lane.brings_marked = false;
  for (Warp& warp : warps_) warp.count = 0;
}

void UndefinedValues::bring(const Thread& thread, const Arrival& arrival) {
  Lane& lane = lanes_[thread.number];
  lane.arrival = arrival;
  lane.brings_marked = false;
  if (lane.count == 0) return;
  for (const unsigned bytes : {4u, 8u}) {
    const Step* const step = step_behind(lane, arrival.value, bytes);
    if (step == nullptr) continue;
    lane.brings_marked = true;
    lane.origin = step->origin;
    Warp& warp = warps_[thread.warp];
    warp.values[warp.count++ % Warp::kKept] = {arrival.value, step->origin};
    return;
  }
}

std::uint64_t UndefinedValues::take(const Thread& thread, const Taken& taken, std::uint64_t bits) {
  if (!trace::is_followed(taken.bytes)) return bits;
  Lane& lane = lanes_[thread.number];
  const Arrival& arrival = lane.arrival;
  Origin origin{arrival.what, arrival.site, arrival.mask, thread.number, taken.lane};
  if (!taken.brought) {
    is_clean_ = false;
    bits = new_mark(taken);
    Warp& warp = warps_[thread.warp];
    warp.values[warp.count++ % Warp::kKept] = {bits, origin};
  } else if (lane.brings_marked) {
    origin = lane.origin;
  } else if (const Origin* const marked = origin_of(thread.warp, bits)) {
    origin = *marked;
  } else {
    return bits;
  }
  lane.steps[lane.count++ % Lane::kKept] = {arrival.value, bits, taken.bytes, taken.is_floating,
                                            origin};
  return bits;
}

std::uint64_t UndefinedValues::new_mark(const Taken& taken) {
  if (taken.is_floating) return taken.bytes == 4 ? kFloatMark : kDoubleMark;
  // The finalizer of splitmix64: each number is another, and none is small.
  std::uint64_t x = ++marks_ * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  x ^= x >> 31;
  return taken.bytes == 4 ? x >> 32 : x;
}

const UndefinedValues::Origin* UndefinedValues::origin_of(unsigned warp, std::uint64_t bits) const {
  const Warp& w = warps_[warp];
  // The latest first: a NaN is the same, wherever it comes from.
  for (unsigned i = 0; i < std::min(w.count, Warp::kKept); ++i) {
    const Marked& marked = w.values[(w.count - 1 - i) % Warp::kKept];
    if (marked.bits == bits) return &marked.origin;
  }
  return nullptr;
}

const UndefinedValues::Step* UndefinedValues::step_behind(const Lane& lane, std::uint64_t bits,
                                                          unsigned bytes) {
  for (unsigned i = 0; i < std::min(lane.count, Lane::kKept); ++i) {
    const Step& step = lane.steps[(lane.count - 1 - i) % Lane::kKept];
    if (comes_from(bits, bytes, step.brought, step.taken, step.bytes, step.is_floating))
      return &step;
  }
  return nullptr;
}

void UndefinedValues::store(const Access& access) {
  stored_ = access;
  before_atomic_ = 0;
  if (access.kind == Kind::atomic && access.bytes <= sizeof before_atomic_)
    std::memcpy(&before_atomic_, reinterpret_cast<const void*>(access.address), access.bytes);
}

void UndefinedValues::look_at_stored(const Thread& thread) {
  const unsigned bytes = std::exchange(stored_.bytes, 0);
  // A vector's elements may be of either size.
  for (const unsigned size : {4u, 8u})
    for (unsigned begin = 0; begin + size <= bytes; begin += size) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, reinterpret_cast<const char*>(stored_.address) + begin, size);
      const Lane& lane = lanes_[thread.number];
      const Step* step = step_behind(lane, bits, size);
      // The value that has been added, if no other thread has come between.
      if (step == nullptr && stored_.kind == Kind::atomic && size == bytes)
        step = step_behind(lane, bits - before_atomic_, size);
      if (step == nullptr) continue;
      report(thread, step->origin);
      return;
    }
}

void UndefinedValues::report(const Thread& thread, const Origin& origin) {
  const FindingKey key{FindingKind::invalid_mask, {0, origin.site}, {stored_.code, {}}};
  findings_.add_in(thread.number, key, [&] {
    const unsigned reader = origin.thread % kLanes;
    std::string why = "Lane " + std::to_string(reader) + " reads from ";
    if (origin.lane >= kLanes) {
      why += "a rank that its group does not have";
    } else {
      why += "lane " + std::to_string(origin.lane) + ", which ";
      const unsigned source = origin.thread - reader + origin.lane;
      if ((origin.mask & bit_of(origin.lane)) == 0)
        why += "is not in the mask " + hex(origin.mask);
      else if (source >= blockDim.x * blockDim.y * blockDim.z)
        why += "the block does not have";
      else
        why += "has exited";
    }
    return Finding{std::string("Undefined value taken by ") + origin.what + ".",
                   "The result is stored",
                   {why + ". Its value is undefined"}};
  });
}

}  // namespace cucpu::trace
