// The instructions for dynamic programming (DPX): a sum's, or three values', minimum or maximum,
// of words and of their halfwords; relu: no less than 0.
#pragma once

#include "cucpu/device/min_max.h"
#include "cucpu/device/simd.h"

namespace cucpu {

inline int wrapping_sum(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
template <class T>
unsigned sum_then_max(unsigned a, unsigned b, unsigned c, int least) {
  return for_each_element<T>(
      [=](int x, int y, int z) { return ::max(::max(int{static_cast<T>(x + y)}, z), least); }, a, b,
      c);
}
template <class T>
unsigned sum_then_min(unsigned a, unsigned b, unsigned c, int least) {
  return for_each_element<T>(
      [=](int x, int y, int z) { return ::max(::min(int{static_cast<T>(x + y)}, z), least); }, a, b,
      c);
}
template <class T>
unsigned greatest(unsigned a, unsigned b, unsigned c, int least) {
  return for_each_element<T>(
      [=](int x, int y, int z) { return ::max(::max(::max(x, y), z), least); }, a, b, c);
}
template <class T>
unsigned smallest(unsigned a, unsigned b, unsigned c, int least) {
  return for_each_element<T>(
      [=](int x, int y, int z) { return ::max(::min(::min(x, y), z), least); }, a, b, c);
}
// Whether the first of two words is chosen, for each halfword.
template <class T, class Chooses>
unsigned choose(unsigned a, unsigned b, bool* high, bool* low, Chooses chooses) {
  *high = chooses(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
  *low = chooses(static_cast<T>(a), static_cast<T>(b));
  return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0x0000ffffu);
}
template <class T>
T choose_word(T a, T b, bool* is_first, bool is_first_now) {
  *is_first = is_first_now;
  return is_first_now ? a : b;
}

// Below every halfword: without relu.
inline constexpr int kNoLeast = -0x10000;

}  // namespace cucpu

// --- Words ---

inline int __viaddmax_s32(int a, int b, int c) { return ::max(cucpu::wrapping_sum(a, b), c); }
inline int __viaddmin_s32(int a, int b, int c) { return ::min(cucpu::wrapping_sum(a, b), c); }
inline unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) { return ::max(a + b, c); }
inline unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return ::min(a + b, c); }
inline int __viaddmax_s32_relu(int a, int b, int c) { return ::max(__viaddmax_s32(a, b, c), 0); }
inline int __viaddmin_s32_relu(int a, int b, int c) { return ::max(__viaddmin_s32(a, b, c), 0); }

inline int __vimax_s32_relu(int a, int b) { return ::max(::max(a, b), 0); }
inline int __vimin_s32_relu(int a, int b) { return ::max(::min(a, b), 0); }
inline int __vimax3_s32(int a, int b, int c) { return ::max(::max(a, b), c); }
inline int __vimin3_s32(int a, int b, int c) { return ::min(::min(a, b), c); }
inline unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { return ::max(::max(a, b), c); }
inline unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { return ::min(::min(a, b), c); }
inline int __vimax3_s32_relu(int a, int b, int c) { return ::max(::max(::max(a, b), c), 0); }
inline int __vimin3_s32_relu(int a, int b, int c) { return ::max(::min(::min(a, b), c), 0); }

// With a predicate: whether the first is the one returned.
inline int __vibmax_s32(int a, int b, bool* is_first) {
  return cucpu::choose_word(a, b, is_first, a >= b);
}
inline int __vibmin_s32(int a, int b, bool* is_first) {
  return cucpu::choose_word(a, b, is_first, a <= b);
}
inline unsigned __vibmax_u32(unsigned a, unsigned b, bool* is_first) {
  return cucpu::choose_word(a, b, is_first, a >= b);
}
inline unsigned __vibmin_u32(unsigned a, unsigned b, bool* is_first) {
  return cucpu::choose_word(a, b, is_first, a <= b);
}

// --- Halfwords ---

inline unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) {
  return cucpu::sum_then_max<short>(a, b, c, cucpu::kNoLeast);
}
inline unsigned __viaddmin_s16x2(unsigned a, unsigned b, unsigned c) {
  return cucpu::sum_then_min<short>(a, b, c, cucpu::kNoLeast);
}
inline unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c) {
  return cucpu::sum_then_max<unsigned short>(a, b, c, 0);
}
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
  return cucpu::sum_then_min<unsigned short>(a, b, c, 0);
}
inline unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return cucpu::sum_then_max<short>(a, b, c, 0);
}
inline unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return cucpu::sum_then_min<short>(a, b, c, 0);
}

inline unsigned __vimax_s16x2_relu(unsigned a, unsigned b) {
  return cucpu::greatest<short>(a, b, b, 0);
}
inline unsigned __vimin_s16x2_relu(unsigned a, unsigned b) {
  return cucpu::smallest<short>(a, b, b, 0);
}
inline unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) {
  return cucpu::greatest<short>(a, b, c, cucpu::kNoLeast);
}
inline unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c) {
  return cucpu::smallest<short>(a, b, c, cucpu::kNoLeast);
}
inline unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) {
  return cucpu::greatest<unsigned short>(a, b, c, 0);
}
inline unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) {
  return cucpu::smallest<unsigned short>(a, b, c, 0);
}
inline unsigned __vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return cucpu::greatest<short>(a, b, c, 0);
}
inline unsigned __vimin3_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return cucpu::smallest<short>(a, b, c, 0);
}

// With a predicate for each halfword: whether the first is the one returned.
inline unsigned __vibmax_s16x2(unsigned a, unsigned b, bool* high, bool* low) {
  return cucpu::choose<short>(a, b, high, low, [](int x, int y) { return x >= y; });
}
inline unsigned __vibmin_s16x2(unsigned a, unsigned b, bool* high, bool* low) {
  return cucpu::choose<short>(a, b, high, low, [](int x, int y) { return x <= y; });
}
inline unsigned __vibmax_u16x2(unsigned a, unsigned b, bool* high, bool* low) {
  return cucpu::choose<unsigned short>(a, b, high, low, [](int x, int y) { return x >= y; });
}
inline unsigned __vibmin_u16x2(unsigned a, unsigned b, bool* high, bool* low) {
  return cucpu::choose<unsigned short>(a, b, high, low, [](int x, int y) { return x <= y; });
}
