// Device functions that compute: bits, conversions, rounding, minima and maxima, mathematics.
#include <cfenv>
#include <climits>
#include <cmath>

#include "support.h"

// These are the same functions on either side; a kernel calls each group once.

TEST_CASE("bits of integers") {
  CHECK(__popc(0xf00f0001u) == 9);
  CHECK(__popcll(0xf00000000000000full) == 8);
  CHECK(__clz(1) == 31);
  CHECK(__clz(0) == 32);
  CHECK(__clz(-1) == 0);
  CHECK(__clzll(1) == 63);
  CHECK(__clzll(0) == 64);
  CHECK(__ffs(0) == 0);
  CHECK(__ffs(0x50) == 5);
  CHECK(__ffsll(1ll << 40) == 41);
  CHECK(__brev(0x00000001u) == 0x80000000u);
  CHECK(__brev(0x12345678u) == 0x1e6a2c48u);
  CHECK(__brevll(0x0000000012345678ull) == 0x1e6a2c4800000000ull);
  CHECK(__byte_perm(0x33221100u, 0x77665544u, 0x7520u) == 0x77552200u);
  CHECK(__byte_perm(0x33221100u, 0x77665544u, 0x0123u) == 0x00112233u);
  CHECK(__funnelshift_l(0x80000001u, 0x00000002u, 1) == 0x00000005u);
  CHECK(__funnelshift_l(0x80000001u, 0x00000002u, 32) == 0x00000002u);
  CHECK(__funnelshift_lc(0x80000001u, 0x00000002u, 40) == 0x80000001u);
  CHECK(__funnelshift_r(0x80000001u, 0x00000003u, 1) == 0xc0000000u);
  CHECK(__funnelshift_r(0x80000001u, 0x00000003u, 33) == 0xc0000000u);
  CHECK(__funnelshift_rc(0x80000001u, 0x00000003u, 33) == 0x00000003u);
}

TEST_CASE("parts of products, sums and differences") {
  CHECK(__mulhi(INT_MIN, INT_MIN) == 0x40000000);
  CHECK(__mulhi(-1, 1) == -1);
  CHECK(__umulhi(0xffffffffu, 0xffffffffu) == 0xfffffffeu);
  CHECK(__mul64hi(LLONG_MIN, 2) == -1);
  CHECK(__umul64hi(~0ull, ~0ull) == ~0ull - 1);
  CHECK(__mul24(0x00ffffff, 3) == -3);
  CHECK(__umul24(0xff000010u, 3u) == 48u);
  CHECK(__sad(-5, 7, 1u) == 13u);
  CHECK(__sad(INT_MIN, INT_MAX, 0u) == 0xffffffffu);
  CHECK(__usad(7u, 5u, 1u) == 3u);
  CHECK(__hadd(INT_MAX, INT_MAX - 1) == INT_MAX - 1);
  CHECK(__rhadd(3, 4) == 4);
  CHECK(__uhadd(0xffffffffu, 0xfffffffeu) == 0xfffffffeu);
  CHECK(__urhadd(1u, 2u) == 2u);
  CHECK(__dp4a(static_cast<int>(0xff010203u), 0x02020202, 10) == 10 + 2 * (-1 + 1 + 2 + 3));
  CHECK(__dp4a(0xff010203u, 0x02020202u, 10u) == 10u + 2 * (255 + 1 + 2 + 3));
}

TEST_CASE("casts of bits") {
  CHECK(__float_as_int(1.0f) == 0x3f800000);
  CHECK(__float_as_uint(-0.0f) == 0x80000000u);
  CHECK(__int_as_float(0x40490fdb) == 3.14159274f);
  CHECK(__uint_as_float(0x3f000000u) == 0.5f);
  CHECK(__double_as_longlong(1.0) == 0x3ff0000000000000ll);
  CHECK(__longlong_as_double(0x4000000000000000ll) == 2.0);
  CHECK(__double2hiint(1.0) == 0x3ff00000);
  CHECK(__double2loint(__longlong_as_double(0x3ff0000012345678ll)) == 0x12345678);
  CHECK(__hiloint2double(0x3ff00000, -1) == __longlong_as_double(0x3ff00000ffffffffll));
}

TEST_CASE("conversions to integers round as they say") {
  CHECK(__float2int_rn(2.5f) == 2);
  CHECK(__float2int_rn(3.5f) == 4);
  CHECK(__float2int_rz(-2.7f) == -2);
  CHECK(__float2int_ru(-2.7f) == -2);
  CHECK(__float2int_rd(-2.2f) == -3);
  CHECK(__float2uint_ru(2.1f) == 3u);
  CHECK(__double2ll_rn(-0.5) == 0);
  CHECK(__double2ull_rz(1e19) == 10000000000000000000ull);
  CHECK(__double2int_rd(1.999999999) == 1);
}

TEST_CASE("conversions to integers end at the type's limits") {
  // Volatile, or the compiler would do them itself, its own way.
  volatile float f = 1e10f;
  volatile double d = 1e300;
  CHECK(__float2int_rz(f) == INT_MAX);
  CHECK(__float2uint_rz(f) == UINT_MAX);
  CHECK(__double2ll_rz(d) == LLONG_MAX);
  CHECK(__double2ull_rz(d) == ULLONG_MAX);
  f = -1e10f;
  d = -INFINITY;
  CHECK(__float2int_rz(f) == INT_MIN);
  CHECK(__float2uint_rz(f) == 0u);
  CHECK(__double2ll_rz(d) == LLONG_MIN);
  CHECK(__double2ull_rz(d) == 0ull);
  f = 2147483648.f;
  CHECK(__float2int_rz(f) == INT_MAX);
  CHECK(__float2uint_rz(f) == 2147483648u);
  f = 4294967296.f;
  CHECK(__float2uint_rz(f) == UINT_MAX);
  CHECK(__float2ll_rz(f) == 4294967296ll);
  f = NAN;
  d = NAN;
  CHECK(__float2int_rz(f) == 0);
  CHECK(__float2ll_rz(f) == LLONG_MIN);
  CHECK(__double2uint_rz(d) == 0x80000000u);
}

TEST_CASE("arithmetic rounds as it says") {
  const float tiny = 1e-10f;
  const float next = std::nextafter(1.0f, 2.0f);
  CHECK(__fadd_rn(1.0f, tiny) == 1.0f);
  CHECK(__fadd_rz(1.0f, tiny) == 1.0f);
  CHECK(__fadd_rd(1.0f, tiny) == 1.0f);
  CHECK(__fadd_ru(1.0f, tiny) == next);
  CHECK(__fsub_rz(1.0f, tiny) == std::nextafter(1.0f, 0.0f));
  CHECK(__fmul_rd(0.1f, 0.1f) < __fmul_ru(0.1f, 0.1f));
  CHECK(__fdiv_rd(1.0f, 3.0f) < __fdiv_ru(1.0f, 3.0f));
  CHECK(__fdiv_rn(1.0f, 3.0f) == 1.0f / 3.0f);
  CHECK(__fsqrt_rd(2.0f) < __fsqrt_ru(2.0f));
  CHECK(__frcp_ru(3.0f) == __fdiv_ru(1.0f, 3.0f));
  CHECK(__fmaf_rn(next, next, -1.0f) == std::fma(next, next, -1.0f));
  CHECK(__fmaf_ru(1.0f, 1.0f, tiny) == next);
  CHECK(__dadd_ru(1.0, 1e-30) == std::nextafter(1.0, 2.0));
  CHECK(__fma_rz(1.0, 1.0, -1e-30) == std::nextafter(1.0, 0.0));
  CHECK(__int2float_rz(16777219) == 16777218.f);
  CHECK(__int2float_rn(16777219) == 16777220.f);
  CHECK(__double2float_rd(0.1) < 0.1);
  CHECK(__double2float_ru(0.1) > 0.1);
  CHECK(__frsqrt_rn(4.0f) == 0.5f);
  // The host's own mode is as it was.
  CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("min and max of every mix") {
  static_assert(std::is_same_v<decltype(min(1, 2)), int>);
  static_assert(std::is_same_v<decltype(min(1, 2u)), unsigned>);
  static_assert(std::is_same_v<decltype(max(1ll, 2ull)), unsigned long long>);
  static_assert(std::is_same_v<decltype(max(1l, 2l)), long>);
  static_assert(std::is_same_v<decltype(max(1.f, 2.f)), float>);
  static_assert(std::is_same_v<decltype(max(1.f, 2.)), double>);
  CHECK(min(-1, 2) == -1);
  CHECK(min(-1, 2u) == 2u);
  CHECK(max(3, -4) == 3);
  CHECK(max(1.5f, 1.25) == 1.5);
  CHECK(min(NAN, 1.0f) == 1.0f);
  CHECK(max(1.0f, NAN) == 1.0f);
  CHECK(std::isnan(max(static_cast<double>(NAN), static_cast<double>(NAN))));
  CHECK(umin(3u, 4u) == 3u);
  CHECK(llmax(-3ll, 4ll) == 4ll);
  CHECK(fminf(1.0f, 2.0f) == 1.0f);
}

TEST_CASE("mathematics") {
  CHECK(__expf(1.0f) == doctest::Approx(M_E));
  CHECK(__logf(10.0f) == doctest::Approx(M_LN10));
  CHECK(__log2f(8.0f) == doctest::Approx(3));
  CHECK(__sinf(0.5f) == doctest::Approx(std::sin(0.5)));
  CHECK(__cosf(0.5f) == doctest::Approx(std::cos(0.5)));
  CHECK(__powf(2.0f, 0.5f) == doctest::Approx(M_SQRT2));
  CHECK(__exp10f(2.0f) == doctest::Approx(100));
  CHECK(__fdividef(1.0f, 4.0f) == 0.25f);
  CHECK(rsqrtf(16.0f) == 0.25f);
  CHECK(rsqrt(16.0) == 0.25);
  CHECK(rcbrtf(8.0f) == doctest::Approx(0.5));
  CHECK(__saturatef(1.5f) == 1.0f);
  CHECK(__saturatef(-0.5f) == 0.0f);
  CHECK(__saturatef(NAN) == 0.0f);
  CHECK(__saturatef(0.25f) == 0.25f);
  CHECK(norm3df(2, 3, 6) == doctest::Approx(7));
  CHECK(rnorm4df(1, 1, 1, 1) == doctest::Approx(0.5));
  CHECK(rnorm4d(2, 4, 5, 6) == doctest::Approx(1 / 9.0));
  const float floats[] = {2, 3, 6};
  const double doubles[] = {2, 4, 5, 6};
  CHECK(normf(3, floats) == doctest::Approx(7));
  CHECK(rnormf(3, floats) == doctest::Approx(1 / 7.0));
  CHECK(norm(4, doubles) == doctest::Approx(9));
  CHECK(rnorm(4, doubles) == doctest::Approx(1 / 9.0));
  CHECK(norm4d(2, 4, 5, 6) == doctest::Approx(9));
  CHECK(rhypotf(3, 4) == doctest::Approx(0.2));
  CHECK(normcdf(0) == 0.5);
  CHECK(normcdff(1.0f) == doctest::Approx(0.8413447));
  CHECK(sinpi(1.0) == 0);
  CHECK(sinpi(-0.5) == -1);
  CHECK(sinpif(1e6f + 0.5f) == 1);
  CHECK(cospi(0.5) == 0);
  CHECK(cospi(1.0) == -1);
  CHECK(sinpi(0.3) == doctest::Approx(std::sin(0.3 * M_PI)));
  CHECK(cospi(-2.7) == doctest::Approx(std::cos(2.7 * M_PI)));
  float sine = 0;
  float cosine = 0;
  __sincosf(1.0f, &sine, &cosine);
  CHECK(sine == doctest::Approx(std::sin(1.0)));
  CHECK(cosine == doctest::Approx(std::cos(1.0)));
}

TEST_CASE("signed averages round halves away from 0") {
  // Bytes -1 + 0 = -1: -1; 2 + 1 = 3: 2; -3 + 0 = -3: -2; 127 + 127 = 254: 127.
  CHECK(__vavgs4(0xff02fd7fu, 0x0001007fu) == 0xff02fe7fu);
  // Halfwords -1 + 0: -1; -2 + 3 = 1: 1.
  CHECK(__vavgs2(0xfffffffeu, 0x00000003u) == 0xffff0001u);
}

TEST_CASE("sums, minima and maxima for dynamic programming") {
  CHECK(__viaddmax_s32(2, 3, 4) == 5);
  CHECK(__viaddmax_s32(INT_MAX, 1, 7) == 7);  // the sum wraps to the least value
  CHECK(__viaddmin_s32(INT_MAX, 1, 7) == INT_MIN);
  CHECK(__viaddmin_u32(0xffffffffu, 2, 7) == 1);
  CHECK(__viaddmax_u32(0xffffffffu, 2, 7) == 7);
  CHECK(__viaddmax_s32_relu(-5, 1, -3) == 0);
  CHECK(__viaddmin_s32_relu(5, 1, 3) == 3);
  CHECK(__viaddmin_s32_relu(5, 1, -3) == 0);
  CHECK(__vimax3_s32(-1, -9, -3) == -1);
  CHECK(__vimin3_s32(-1, -9, -3) == -9);
  CHECK(__vimax3_u32(1, 0x80000000u, 3) == 0x80000000u);
  CHECK(__vimin3_u32(1, 0x80000000u, 3) == 1);
  CHECK(__vimax3_s32_relu(-1, -9, -3) == 0);
  CHECK(__vimin3_s32_relu(1, 9, 3) == 1);
  CHECK(__vimax_s32_relu(-1, -2) == 0);
  CHECK(__vimin_s32_relu(4, -2) == 0);

  // A sum of halfwords wraps, too: 0x7fff + 1 is the least, so that c is the greater: 5.
  CHECK(__viaddmax_s16x2(0x7fff0002u, 0x00010003u, 0x00050004u) == 0x00050005u);
  CHECK(__viaddmin_s16x2(0x7fff0002u, 0x00010003u, 0x00050004u) == 0x80000004u);
  CHECK(__viaddmin_s16x2_relu(0x7fff0002u, 0x00010003u, 0x00050004u) == 0x00000004u);
  // -4 + 1 and -9: -3, or 0 with relu; 2 + 3 and 4: 5.
  CHECK(__viaddmax_s16x2(0xfffc0002u, 0x00010003u, 0xfff70004u) == 0xfffd0005u);
  CHECK(__viaddmax_s16x2_relu(0xfffc0002u, 0x00010003u, 0xfff70004u) == 0x00000005u);
  CHECK(__viaddmax_u16x2(0xffff0002u, 0x00020003u, 0x00050004u) == 0x00050005u);
  CHECK(__viaddmin_u16x2(0xffff0002u, 0x00020003u, 0x00050004u) == 0x00010004u);
  CHECK(__vimax3_s16x2(0xffff0001u, 0xfffe0002u, 0xfffd0003u) == 0xffff0003u);
  CHECK(__vimin3_s16x2(0xffff0001u, 0xfffe0002u, 0xfffd0003u) == 0xfffd0001u);
  CHECK(__vimax3_u16x2(0xffff0001u, 0xfffe0002u, 0x00030003u) == 0xffff0003u);
  CHECK(__vimin3_u16x2(0xffff0001u, 0xfffe0002u, 0x00030003u) == 0x00030001u);
  CHECK(__vimax3_s16x2_relu(0xffff0001u, 0xfffe0002u, 0xfffd0003u) == 0x00000003u);
  CHECK(__vimin3_s16x2_relu(0xffff0001u, 0xfffe0002u, 0xfffd0003u) == 0x00000001u);
  CHECK(__vimax_s16x2_relu(0xffff0001u, 0xfffe0002u) == 0x00000002u);
  CHECK(__vimin_s16x2_relu(0xffff0001u, 0xfffe0002u) == 0x00000001u);

  bool first = false;
  bool high = false;
  bool low = false;
  CHECK(__vibmax_s32(3, 3, &first) == 3);
  CHECK(first);
  CHECK(__vibmax_s32(-1, 0, &first) == 0);
  CHECK_FALSE(first);
  CHECK(__vibmax_u32(0xffffffffu, 0, &first) == 0xffffffffu);
  CHECK(first);
  CHECK(__vibmin_s32(-1, 0, &first) == -1);
  CHECK(first);
  CHECK(__vibmin_u32(0xffffffffu, 0, &first) == 0);
  CHECK_FALSE(first);
  // The halfwords -1 and 1 against 0 and 1.
  CHECK(__vibmax_s16x2(0xffff0001u, 0x00000001u, &high, &low) == 0x00000001u);
  CHECK((!high && low));
  CHECK(__vibmax_u16x2(0xffff0001u, 0x00000001u, &high, &low) == 0xffff0001u);
  CHECK((high && low));
  CHECK(__vibmin_s16x2(0xffff0002u, 0x00000001u, &high, &low) == 0xffff0001u);
  CHECK((high && !low));
  CHECK(__vibmin_u16x2(0xffff0002u, 0x00000001u, &high, &low) == 0x00000001u);
  CHECK((!high && !low));
}

namespace {

__global__ void call_from_kernel(float* out, const float* in) {
  const float x = in[threadIdx.x];
  out[threadIdx.x] = fmaxf(0.0f, __expf(-x)) + static_cast<float>(__popc(__float_as_uint(x))) +
                     static_cast<float>(min(static_cast<int>(threadIdx.x), 2)) + sqrtf(abs(x));
}

}  // namespace

TEST_CASE("device code calls them") {
  const std::vector<float> in{0.0f, 1.0f, -2.0f, 4.0f};
  const test::DeviceArray<float> device(in);
  const test::DeviceArray<float> out(4);
  call_from_kernel<<<1, 4>>>(out.get(), device.get());
  const std::vector<float> got = out.read();
  CHECK(got[0] == doctest::Approx(1 + 0 + 0 + 0));
  CHECK(got[1] == doctest::Approx(std::exp(-1) + 7 + 1 + 1));
  CHECK(got[2] == doctest::Approx(std::exp(2) + 2 + 2 + M_SQRT2));
  CHECK(got[3] == doctest::Approx(std::exp(-4) + 2 + 2 + 2));
}
