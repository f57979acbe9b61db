// Instructions that compute with the two halfwords or the four bytes of a word.
#pragma once

#include <limits>
#include <type_traits>

namespace cucpu {

// The elements of type T of the words, each of which op makes an element of the result of.
template <class T, class Op, class... Words>
unsigned for_each_element(Op op, Words... words) {
  constexpr int kWidth = 8 * sizeof(T);
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += kWidth)
    result |= static_cast<unsigned>(
                  static_cast<std::make_unsigned_t<T>>(op(int{static_cast<T>(words >> shift)}...)))
              << shift;
  return result;
}
template <class T>
int clamped(int value) {
  using Limits = std::numeric_limits<T>;
  return value < Limits::min() ? Limits::min() : value > Limits::max() ? Limits::max() : value;
}
inline int magnitude(int value) { return value < 0 ? -value : value; }
// Halves are rounded away from 0.
inline int signed_average(int a, int b) { return (a + b + (a + b >= 0)) >> 1; }

}  // namespace cucpu

// --- The halfwords: signed (s), unsigned (u), with results that end at the type's limits (ss, us)
// ---

inline unsigned __vabs2(unsigned a) {
  return cucpu::for_each_element<short>([](int x) { return cucpu::magnitude(x); }, a);
}
inline unsigned __vabsss2(unsigned a) {
  return cucpu::for_each_element<short>(
      [](int x) { return cucpu::clamped<short>(cucpu::magnitude(x)); }, a);
}
inline unsigned __vneg2(unsigned a) {
  return cucpu::for_each_element<short>([](int x) { return -x; }, a);
}
inline unsigned __vnegss2(unsigned a) {
  return cucpu::for_each_element<short>([](int x) { return cucpu::clamped<short>(-x); }, a);
}
inline unsigned __vadd2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x + y; }, a, b);
}
inline unsigned __vaddss2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return cucpu::clamped<short>(x + y); },
                                        a, b);
}
inline unsigned __vaddus2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>(
      [](int x, int y) { return cucpu::clamped<unsigned short>(x + y); }, a, b);
}
inline unsigned __vsub2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x - y; }, a, b);
}
inline unsigned __vsubss2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return cucpu::clamped<short>(x - y); },
                                        a, b);
}
inline unsigned __vsubus2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>(
      [](int x, int y) { return cucpu::clamped<unsigned short>(x - y); }, a, b);
}
inline unsigned __vabsdiffs2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return cucpu::magnitude(x - y); }, a, b);
}
inline unsigned __vabsdiffu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>(
      [](int x, int y) { return cucpu::magnitude(x - y); }, a, b);
}
inline unsigned __vavgu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return (x + y + 1) >> 1; }, a,
                                                 b);
}
inline unsigned __vavgs2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>(cucpu::signed_average, a, b);
}
inline unsigned __vhaddu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return (x + y) >> 1; }, a, b);
}
inline unsigned __vmaxs2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return x > y ? x : y; }, a, b);
}
inline unsigned __vmaxu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x > y ? x : y; }, a, b);
}
inline unsigned __vmins2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return x < y ? x : y; }, a, b);
}
inline unsigned __vminu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x < y ? x : y; }, a, b);
}
// All ones, or just 1, where the comparison holds.
inline unsigned __vcmpeq2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x == y ? -1 : 0; }, a,
                                                 b);
}
inline unsigned __vseteq2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x == y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpne2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x != y ? -1 : 0; }, a,
                                                 b);
}
inline unsigned __vsetne2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x != y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpges2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return x >= y ? -1 : 0; }, a, b);
}
inline unsigned __vsetges2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return x >= y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpgeu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x >= y ? -1 : 0; }, a,
                                                 b);
}
inline unsigned __vsetgeu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x >= y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpgts2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return x > y ? -1 : 0; }, a, b);
}
inline unsigned __vsetgts2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return x > y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpgtu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x > y ? -1 : 0; }, a, b);
}
inline unsigned __vsetgtu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x > y ? 1 : 0; }, a, b);
}
inline unsigned __vcmples2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return x <= y ? -1 : 0; }, a, b);
}
inline unsigned __vsetles2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return x <= y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpleu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x <= y ? -1 : 0; }, a,
                                                 b);
}
inline unsigned __vsetleu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x <= y ? 1 : 0; }, a, b);
}
inline unsigned __vcmplts2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return x < y ? -1 : 0; }, a, b);
}
inline unsigned __vsetlts2(unsigned a, unsigned b) {
  return cucpu::for_each_element<short>([](int x, int y) { return x < y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpltu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x < y ? -1 : 0; }, a, b);
}
inline unsigned __vsetltu2(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned short>([](int x, int y) { return x < y ? 1 : 0; }, a, b);
}
// The sum of the absolute differences.
inline unsigned __vsads2(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += 16)
    sum += static_cast<unsigned>(cucpu::magnitude(int{static_cast<short>(a >> shift)} -
                                                  int{static_cast<short>(b >> shift)}));
  return sum;
}
inline unsigned __vsadu2(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += 16)
    sum += static_cast<unsigned>(cucpu::magnitude(int{static_cast<unsigned short>(a >> shift)} -
                                                  int{static_cast<unsigned short>(b >> shift)}));
  return sum;
}

// --- The bytes: signed (s), unsigned (u), with results that end at the type's limits (ss, us) ---

inline unsigned __vabs4(unsigned a) {
  return cucpu::for_each_element<signed char>([](int x) { return cucpu::magnitude(x); }, a);
}
inline unsigned __vabsss4(unsigned a) {
  return cucpu::for_each_element<signed char>(
      [](int x) { return cucpu::clamped<signed char>(cucpu::magnitude(x)); }, a);
}
inline unsigned __vneg4(unsigned a) {
  return cucpu::for_each_element<signed char>([](int x) { return -x; }, a);
}
inline unsigned __vnegss4(unsigned a) {
  return cucpu::for_each_element<signed char>([](int x) { return cucpu::clamped<signed char>(-x); },
                                              a);
}
inline unsigned __vadd4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x + y; }, a, b);
}
inline unsigned __vaddss4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>(
      [](int x, int y) { return cucpu::clamped<signed char>(x + y); }, a, b);
}
inline unsigned __vaddus4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>(
      [](int x, int y) { return cucpu::clamped<unsigned char>(x + y); }, a, b);
}
inline unsigned __vsub4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x - y; }, a, b);
}
inline unsigned __vsubss4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>(
      [](int x, int y) { return cucpu::clamped<signed char>(x - y); }, a, b);
}
inline unsigned __vsubus4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>(
      [](int x, int y) { return cucpu::clamped<unsigned char>(x - y); }, a, b);
}
inline unsigned __vabsdiffs4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return cucpu::magnitude(x - y); },
                                              a, b);
}
inline unsigned __vabsdiffu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>(
      [](int x, int y) { return cucpu::magnitude(x - y); }, a, b);
}
inline unsigned __vavgu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return (x + y + 1) >> 1; }, a,
                                                b);
}
inline unsigned __vavgs4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>(cucpu::signed_average, a, b);
}
inline unsigned __vhaddu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return (x + y) >> 1; }, a, b);
}
inline unsigned __vmaxs4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return x > y ? x : y; }, a, b);
}
inline unsigned __vmaxu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x > y ? x : y; }, a, b);
}
inline unsigned __vmins4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return x < y ? x : y; }, a, b);
}
inline unsigned __vminu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x < y ? x : y; }, a, b);
}
// All ones, or just 1, where the comparison holds.
inline unsigned __vcmpeq4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x == y ? -1 : 0; }, a, b);
}
inline unsigned __vseteq4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x == y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpne4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x != y ? -1 : 0; }, a, b);
}
inline unsigned __vsetne4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x != y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpges4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return x >= y ? -1 : 0; }, a, b);
}
inline unsigned __vsetges4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return x >= y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpgeu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x >= y ? -1 : 0; }, a, b);
}
inline unsigned __vsetgeu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x >= y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpgts4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return x > y ? -1 : 0; }, a, b);
}
inline unsigned __vsetgts4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return x > y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpgtu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x > y ? -1 : 0; }, a, b);
}
inline unsigned __vsetgtu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x > y ? 1 : 0; }, a, b);
}
inline unsigned __vcmples4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return x <= y ? -1 : 0; }, a, b);
}
inline unsigned __vsetles4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return x <= y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpleu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x <= y ? -1 : 0; }, a, b);
}
inline unsigned __vsetleu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x <= y ? 1 : 0; }, a, b);
}
inline unsigned __vcmplts4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return x < y ? -1 : 0; }, a, b);
}
inline unsigned __vsetlts4(unsigned a, unsigned b) {
  return cucpu::for_each_element<signed char>([](int x, int y) { return x < y ? 1 : 0; }, a, b);
}
inline unsigned __vcmpltu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x < y ? -1 : 0; }, a, b);
}
inline unsigned __vsetltu4(unsigned a, unsigned b) {
  return cucpu::for_each_element<unsigned char>([](int x, int y) { return x < y ? 1 : 0; }, a, b);
}
// The sum of the absolute differences.
inline unsigned __vsads4(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += 8)
    sum += static_cast<unsigned>(cucpu::magnitude(int{static_cast<signed char>(a >> shift)} -
                                                  int{static_cast<signed char>(b >> shift)}));
  return sum;
}
inline unsigned __vsadu4(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += 8)
    sum += static_cast<unsigned>(cucpu::magnitude(int{static_cast<unsigned char>(a >> shift)} -
                                                  int{static_cast<unsigned char>(b >> shift)}));
  return sum;
}
