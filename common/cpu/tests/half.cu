// Floating point of 16 bits in kernels, in pairs, and compared.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "cucpu/trace.h"
#include "support.h"

namespace {

unsigned short bits(__half a) { return __half_as_ushort(a); }
unsigned short bits(__nv_bfloat16 a) { return __bfloat16_as_ushort(a); }
template <class T>
T of_bits(unsigned short i) {
  if constexpr (std::is_same_v<T, __half>)
    return __ushort_as_half(i);
  else
    return __ushort_as_bfloat16(i);
}

}  // namespace

TEST_CASE_TEMPLATE("comparisons, minima and maxima know NaN and the zeros", T, __half,
                   __nv_bfloat16) {
  const T nan = of_bits<T>(0x7fc1);
  const T one(1);
  const T two(2);
  CHECK((__heq(one, one) && __hlt(one, two) && __hle(one, one) && __hne(one, two)));
  CHECK((__hgt(two, one) && __hge(two, two)));
  CHECK(!(__heq(nan, nan) || __hne(nan, one) || __hlt(nan, one) || __hge(one, nan)));
  CHECK((__hequ(nan, one) && __hneu(nan, nan) && __hltu(nan, one) && __hgtu(one, nan)));
  CHECK((__hleu(nan, nan) && __hgeu(nan, nan) && !__hltu(two, one) && !__hequ(one, two)));
  CHECK((nan != nan && !(nan == nan) && one < two && !(nan < one)));
  CHECK(bits(__hmin(one, nan)) == bits(one));
  CHECK(bits(__hmax(nan, two)) == bits(two));
  CHECK(bits(__hmin_nan(one, nan)) == 0x7fff);
  CHECK(bits(__hmax_nan(nan, two)) == 0x7fff);
  CHECK(bits(__hmax(nan, nan)) == 0x7fff);
  CHECK(bits(__hmin(of_bits<T>(0), of_bits<T>(0x8000))) == 0x8000);
  CHECK(bits(__hmax(of_bits<T>(0x8000), of_bits<T>(0))) == 0);
  CHECK(__hisnan(nan));
  CHECK(__hisinf(__hneg(T(INFINITY))) == -1);
  CHECK(bits(__hadd_sat(two, one)) == bits(one));
  CHECK(bits(__hmul_sat(nan, one)) == 0);
  CHECK(bits(__hfma_relu(two, T(-1), one)) == 0);
  CHECK(bits(__hfma_relu(nan, one, one)) == 0x7fff);
  T counter(3);
  counter += 2.0f;
  CHECK(static_cast<float>(counter++) == 5);
  CHECK(static_cast<float>(--counter) == 5);
  CHECK(static_cast<float>(-counter) == -5);
  CHECK((counter ? true : false));
}

TEST_CASE("pairs") {
  const half2 a = __floats2half2_rn(1, 2);
  const half2 b = make_half2(3.0f, 5.0f);
  const float2 sum = __half22float2(__hadd2(a, b));
  CHECK((sum.x == 4 && sum.y == 7));
  const float2 fused = __half22float2(__hfma2(a, b, b));
  CHECK((fused.x == 6 && fused.y == 15));
  CHECK(__low2float(__lowhigh2highlow(a)) == 2);
  CHECK(__high2float(__highs2half2(a, b)) == 5);
  CHECK(__low2float(__high2half2(a)) == 2);
  CHECK((__hbeq2(a, a) && !__hbeq2(a, make_half2(1, 3)) && __hblt2(a, b) && a == a && a != b));
  CHECK(__hlt2_mask(a, make_half2(2, 2)) == 0xffff);
  CHECK(__hgt2_mask(a, make_half2(2, 1)) == 0xffff0000u);
  CHECK(__half22float2(__heq2(a, make_half2(1, 0))).x == 1);
  const float2 product = __half22float2(__hcmadd(a, b, a));  // (1 + 2i)(3 + 5i) + 1 + 2i
  CHECK((product.x == -6 && product.y == 13));
  const float2 root = __half22float2(h2sqrt(make_half2(9, 16)));
  CHECK((root.x == 3 && root.y == 4));
  const __nv_bfloat162 c = __floats2bfloat162_rn(1.5f, -2);
  CHECK(__bfloat1622float2(__habs2(c)).y == 2);
  CHECK(__high2float(__hmul2(c, c)) == 4);
  const __half2_raw raw = a;
  CHECK((raw.x == 0x3c00 && raw.y == 0x4000));
  static_assert(sizeof(half2) == 4 && alignof(half2) == 4 && sizeof(half) == 2);
}

namespace {

__global__ void exchange(half* h, half2* p, __nv_bfloat16* b, float4* packed) {
  const unsigned lane = threadIdx.x;
  h[lane] = __shfl_xor_sync(~0u, h[lane], 1);
  p[lane] = __shfl_down_sync(~0u, p[lane], 2);
  b[lane] = __shfl_sync(~0u, b[lane], 5);
  if (lane < 4) packed[lane + 4] = __ldg(packed + lane);  // eight halves
}

template <class T>
__global__ void add_up(T* sum, T value) {
  atomicAdd(sum, value);
}

}  // namespace

TEST_CASE("lanes exchange and add them") {
  std::vector<half> halves(32);
  std::vector<half2> pairs(32);
  std::vector<__nv_bfloat16> brains(32);
  for (int i = 0; i < 32; ++i) {
    halves[i] = i;
    pairs[i] = make_half2(i, -i);
    brains[i] = i;
  }
  const test::DeviceArray<half> h(halves);
  const test::DeviceArray<half2> p(pairs);
  const test::DeviceArray<__nv_bfloat16> b(brains);
  std::vector<half> values(64);
  for (int i = 0; i < 64; ++i) values[i] = i < 32 ? i : -1;
  const test::DeviceArray<half> packed(values);
  cucpu::trace::start_counting();
  exchange<<<1, 32>>>(h.get(), p.get(), b.get(), reinterpret_cast<float4*>(packed.get()));
  // Each is one access: of 2, 4, 2 and 16 bytes, in 2, 4, 2 and 2 sectors.
  for (const auto& launch : cucpu::trace::take_counters()) {
    CHECK(launch.counters.global_load.requests == 4);
    CHECK(launch.counters.global_load.sectors == 10);
    CHECK(launch.counters.global_store.requests == 4);
    CHECK(launch.counters.global_store.sectors == 10);
  }
  CHECK(static_cast<int>(h.read()[6]) == 7);
  CHECK(__high2float(p.read()[3]) == -5);
  CHECK(static_cast<int>(b.read()[0]) == 5);
  CHECK(static_cast<int>(packed.read()[32 + 31]) == 31);

  const test::DeviceArray<half> sum(std::vector<half>{1});
  const test::DeviceArray<half2> pair_sum(std::vector<half2>{make_half2(0, 10)});
  const test::DeviceArray<__nv_bfloat162> brain_sum(1, __floats2bfloat162_rn(0, 0));
  add_up<<<4, 32>>>(sum.get(), half(0.5f));
  add_up<<<4, 32>>>(pair_sum.get(), make_half2(1, 2));
  add_up<<<2, 32>>>(brain_sum.get(), __floats2bfloat162_rn(1, 2));
  CHECK(static_cast<float>(sum.read()[0]) == 65);
  CHECK(__low2float(pair_sum.read()[0]) == 128);
  CHECK(__high2float(pair_sum.read()[0]) == 266);
  CHECK(__high2float(brain_sum.read()[0]) == 128);
}
