// Atomic functions: indivisible among all threads of all blocks, and in no order with anything
// else, as CUDA's are. The forms for a block and for the system do the same; racecheck tells them
// apart.
#pragma once

#include <bit>
#include <cstddef>
#include <type_traits>

#include "cucpu/device/wide_swap.h"
#include "cucpu/way.h"
#include "vector_types.h"

namespace cucpu {

#ifdef CUCPU_TRACED
// Reports an atomic function; its callers are inlined, so that it returns into the user's line.
void begin_atomic(const void* address, std::size_t bytes, Way way);
// The same for a store by an atomic object.
void begin_atomic_store(const void* address, std::size_t bytes);
void end_atomic();
// The lowering puts this before an atomic function that is a statement by itself.
void result_is_unused();
// The next atomic function is one for the block only.
void is_for_block_only();
#define CUCPU_ATOMIC [[gnu::always_inline]] inline
#else
[[gnu::always_inline]] inline void begin_atomic(const void*, std::size_t, Way) {}
[[gnu::always_inline]] inline void begin_atomic_store(const void*, std::size_t) {}
[[gnu::always_inline]] inline void end_atomic() {}
[[gnu::always_inline]] inline void result_is_unused() {}
[[gnu::always_inline]] inline void is_for_block_only() {}
#define CUCPU_ATOMIC inline
#endif

// Stands beside an atomic operation for as long as it takes.
class NotedAtomic {
 public:
  CUCPU_ATOMIC NotedAtomic(const void* address, std::size_t bytes, Way way) {
    begin_atomic(address, bytes, way);
  }
  CUCPU_ATOMIC ~NotedAtomic() { end_atomic(); }
  NotedAtomic(const NotedAtomic&) = delete;
};

template <class T, class... Allowed>
concept OneOf = (std::is_same_v<T, Allowed> || ...);

using ulonglong = unsigned long long;
template <class T>
using Same = std::type_identity_t<T>;

// Shared memory computes with integers of 32 bits.
template <class T>
constexpr Way kWay = std::is_integral_v<T> && sizeof(T) == 4 ? Way::plain : Way::loop;

// Replaces *address by change(*address), and returns what it replaced.
template <class T, class Change>
CUCPU_ATOMIC T atomic_change(T* address, Change change) {
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  T replacement;
  do {
    replacement = change(old);
  } while (!__atomic_compare_exchange(address, &old, &replacement, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED));
  return old;
}

// GPUs exchange them at once from sm_90 on.
template <class T>
concept OfSixteenBytes = sizeof(T) == 16 && alignof(T) >= 16 && std::is_trivially_copyable_v<T>;

}  // namespace cucpu

template <cucpu::OneOf<int, unsigned, cucpu::ulonglong, float, double> T>
CUCPU_ATOMIC T atomicAdd(T* address, cucpu::Same<T> value) {
  constexpr bool kInteger = cucpu::kWay<T> == cucpu::Way::plain;
  bool counts = kInteger && __builtin_constant_p(value) && value == 1;
  const cucpu::NotedAtomic noted(address, sizeof(*address),
                                 counts ? cucpu::Way::count : cucpu::kWay<T>);
  if constexpr (std::is_floating_point_v<T>) {
    return cucpu::atomic_change(address, [value](T old) { return old + value; });
  } else {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
  }
}
template <cucpu::OneOf<int, unsigned> T>
CUCPU_ATOMIC T atomicSub(T* address, cucpu::Same<T> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::kWay<T>);
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
template <cucpu::OneOf<int, unsigned, cucpu::ulonglong, float> T>
CUCPU_ATOMIC T atomicExch(T* address, cucpu::Same<T> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::Way::plain);
  T old;
  __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
  return old;
}
template <cucpu::OfSixteenBytes T>
CUCPU_ATOMIC T atomicExch(T* address, cucpu::Same<T> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::Way::plain);
  auto seen = cucpu::SixteenByteInteger{0}, expected = seen;
  do {
    expected = seen;
    seen =
        cucpu::compare_and_swap(address, expected, std::bit_cast<cucpu::SixteenByteInteger>(value));
  } while (seen != expected);
  return std::bit_cast<T>(seen);
}
template <cucpu::OfSixteenBytes T>
CUCPU_ATOMIC T atomicCAS(T* address, cucpu::Same<T> expected, cucpu::Same<T> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::Way::compare_and_swap);
  return std::bit_cast<T>(
      cucpu::compare_and_swap(address, std::bit_cast<cucpu::SixteenByteInteger>(expected),
                              std::bit_cast<cucpu::SixteenByteInteger>(value)));
}
template <cucpu::OneOf<int, unsigned, unsigned short, cucpu::ulonglong> T>
CUCPU_ATOMIC T atomicCAS(T* address, cucpu::Same<T> expected, cucpu::Same<T> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::Way::compare_and_swap);
  __atomic_compare_exchange(address, &expected, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <cucpu::OneOf<int, unsigned, long long, cucpu::ulonglong> T>
CUCPU_ATOMIC T atomicMin(T* address, cucpu::Same<T> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::kWay<T>);
  return cucpu::atomic_change(address, [value](T old) { return value < old ? value : old; });
}
template <cucpu::OneOf<int, unsigned, long long, cucpu::ulonglong> T>
CUCPU_ATOMIC T atomicMax(T* address, cucpu::Same<T> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::kWay<T>);
  return cucpu::atomic_change(address, [value](T old) { return old < value ? value : old; });
}
// Counts 0, 1, ..., limit, 0, ...
CUCPU_ATOMIC unsigned atomicInc(unsigned* address, unsigned limit) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::Way::plain);
  return cucpu::atomic_change(address,
                              [limit](unsigned old) { return old >= limit ? 0 : old + 1; });
}
// Counts limit, ..., 1, 0, limit, ...
CUCPU_ATOMIC unsigned atomicDec(unsigned* address, unsigned limit) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::Way::plain);
  return cucpu::atomic_change(
      address, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}
template <cucpu::OneOf<int, unsigned, cucpu::ulonglong> T>
CUCPU_ATOMIC T atomicAnd(T* address, cucpu::Same<T> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::kWay<T>);
  return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}
template <cucpu::OneOf<int, unsigned, cucpu::ulonglong> T>
CUCPU_ATOMIC T atomicOr(T* address, cucpu::Same<T> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::kWay<T>);
  return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <cucpu::OneOf<int, unsigned, cucpu::ulonglong> T>
CUCPU_ATOMIC T atomicXor(T* address, cucpu::Same<T> value) {
  const cucpu::NotedAtomic noted(address, sizeof(*address), cucpu::kWay<T>);
  return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}

// Element by element: the whole is not indivisible.
CUCPU_ATOMIC float2 atomicAdd(float2* address, float2 value) {
  const float x = atomicAdd(&address->x, value.x);
  return {x, atomicAdd(&address->y, value.y)};
}
CUCPU_ATOMIC float4 atomicAdd(float4* address, float4 value) {
  const float x = atomicAdd(&address->x, value.x);
  const float y = atomicAdd(&address->y, value.y);
  const float z = atomicAdd(&address->z, value.z);
  return {x, y, z, atomicAdd(&address->w, value.w)};
}

template <class T>
CUCPU_ATOMIC T atomicAdd_block(T* address, cucpu::Same<T> value) {
  cucpu::is_for_block_only();
  return atomicAdd(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicSub_block(T* address, cucpu::Same<T> value) {
  cucpu::is_for_block_only();
  return atomicSub(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicExch_block(T* address, cucpu::Same<T> value) {
  cucpu::is_for_block_only();
  return atomicExch(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicMin_block(T* address, cucpu::Same<T> value) {
  cucpu::is_for_block_only();
  return atomicMin(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicMax_block(T* address, cucpu::Same<T> value) {
  cucpu::is_for_block_only();
  return atomicMax(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicAnd_block(T* address, cucpu::Same<T> value) {
  cucpu::is_for_block_only();
  return atomicAnd(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicOr_block(T* address, cucpu::Same<T> value) {
  cucpu::is_for_block_only();
  return atomicOr(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicXor_block(T* address, cucpu::Same<T> value) {
  cucpu::is_for_block_only();
  return atomicXor(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicCAS_block(T* address, cucpu::Same<T> expected, cucpu::Same<T> value) {
  cucpu::is_for_block_only();
  return atomicCAS(address, expected, value);
}
CUCPU_ATOMIC unsigned atomicInc_block(unsigned* address, unsigned limit) {
  cucpu::is_for_block_only();
  return atomicInc(address, limit);
}
CUCPU_ATOMIC unsigned atomicDec_block(unsigned* address, unsigned limit) {
  cucpu::is_for_block_only();
  return atomicDec(address, limit);
}

template <class T>
CUCPU_ATOMIC T atomicAdd_system(T* address, cucpu::Same<T> value) {
  return atomicAdd(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicSub_system(T* address, cucpu::Same<T> value) {
  return atomicSub(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicExch_system(T* address, cucpu::Same<T> value) {
  return atomicExch(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicMin_system(T* address, cucpu::Same<T> value) {
  return atomicMin(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicMax_system(T* address, cucpu::Same<T> value) {
  return atomicMax(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicAnd_system(T* address, cucpu::Same<T> value) {
  return atomicAnd(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicOr_system(T* address, cucpu::Same<T> value) {
  return atomicOr(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicXor_system(T* address, cucpu::Same<T> value) {
  return atomicXor(address, value);
}
template <class T>
CUCPU_ATOMIC T atomicCAS_system(T* address, cucpu::Same<T> expected, cucpu::Same<T> value) {
  return atomicCAS(address, expected, value);
}
CUCPU_ATOMIC unsigned atomicInc_system(unsigned* address, unsigned limit) {
  return atomicInc(address, limit);
}
CUCPU_ATOMIC unsigned atomicDec_system(unsigned* address, unsigned limit) {
  return atomicDec(address, limit);
}

#undef CUCPU_ATOMIC
