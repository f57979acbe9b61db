// Operations on the bits of integers, and products of which only a part is wanted.
#pragma once

#include "vector_types.h"

namespace cucpu {
// Swaps the bits that `low_half` selects with those that stand `shift` above them.
template <class T>
T swap_bits(T x, int shift, T low_half) {
  return ((x >> shift) & low_half) | ((x & low_half) << shift);
}
}  // namespace cucpu

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
// Zeros above the highest one; the width of the type where there is none.
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
// The position of the lowest one, counted from 1; 0 where there is none.
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }

inline unsigned __brev(unsigned x) {
  x = cucpu::swap_bits(x, 1, 0x55555555u);
  x = cucpu::swap_bits(x, 2, 0x33333333u);
  x = cucpu::swap_bits(x, 4, 0x0f0f0f0fu);
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  x = cucpu::swap_bits(x, 1, 0x5555555555555555ull);
  x = cucpu::swap_bits(x, 2, 0x3333333333333333ull);
  x = cucpu::swap_bits(x, 4, 0x0f0f0f0f0f0f0f0full);
  return __builtin_bswap64(x);
}

// Four of the eight bytes of y:x, each picked by three bits of a nibble of the selector.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i) & 7;
    result |= static_cast<unsigned>(bytes >> (8 * pick) & 0xff) << (8 * i);
  }
  return result;
}

// The upper (l) or lower (r) word of high:low, shifted by `shift` modulo 32, or at most 32 (c).
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift & 31) >> 32);
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31));
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// The upper halves of products.
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
  __extension__ using Wide = __int128;
  return static_cast<long long>(static_cast<Wide>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Wide>(x) * y >> 64);
}
// The lower 32 bits of the product of the lower 24 bits.
inline int __mul24(int x, int y) {
  const auto low24 = [](int v) { return static_cast<int>(static_cast<unsigned>(v) << 8) >> 8; };
  return static_cast<int>(static_cast<long long>(low24(x)) * low24(y));
}
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }

// |x - y| + z
inline unsigned __sad(int x, int y, unsigned z) {
  const unsigned difference = static_cast<unsigned>(x) - static_cast<unsigned>(y);
  return (x < y ? 0u - difference : difference) + z;
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x < y ? y - x : x - y) + z; }
// Averages, rounded down (hadd) or up (rhadd), that do not overflow.
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
inline int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
inline unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

// c plus the dot product of four bytes with four bytes.
inline int __dp4a(int a, int b, int c) {
  unsigned sum = static_cast<unsigned>(c);
  for (int i = 0; i < 4; ++i) {
    sum += static_cast<unsigned>(static_cast<signed char>(a >> (8 * i)) *
                                 static_cast<signed char>(b >> (8 * i)));
  }
  return static_cast<int>(sum);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
  return c;
}
inline int __dp4a(char4 a, char4 b, int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + unsigned(a.x) * b.x + unsigned(a.y) * b.y + unsigned(a.z) * b.z + unsigned(a.w) * b.w;
}
// c plus the dot product of two halfwords with two bytes, the lower or the higher ones.
inline int __dp2a_lo(int a, int b, int c) {
  return c + static_cast<short>(a) * static_cast<signed char>(b) +
         (a >> 16) * static_cast<signed char>(b >> 8);
}
inline int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return __dp2a_lo(a, b >> 16, c); }
inline int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
inline int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
inline unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
  return c + unsigned(a.x) * b.x + unsigned(a.y) * b.y;
}
inline unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
  return c + unsigned(a.x) * b.z + unsigned(a.y) * b.w;
}

// The position of the n-th one from `base` on, upwards, or downwards where n is negative; of 0, of
// `base` itself. All ones if there is none.
inline unsigned __fns(unsigned mask, unsigned base, int n) {
  const int step = n < 0 ? -1 : 1;
  unsigned left = static_cast<unsigned>(n < 0 ? -n : n);
  if (left == 0) return (mask >> (base & 31) & 1) != 0 ? base : ~0u;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) != 0 && --left == 0) return static_cast<unsigned>(at);
  return ~0u;
}
