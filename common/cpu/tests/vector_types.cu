// Vector types, loads and stores with cache hints, device printf, clocks.
#include <math_constants.h>
#include <sys/resource.h>

#include <cmath>
#include <cstddef>

#include "support.h"

namespace {

template <class Vector, std::size_t Size, std::size_t Alignment>
constexpr bool kLaidOut = sizeof(Vector) == Size &&
                          alignof(Vector) == Alignment&& std::is_trivially_copyable_v<Vector>;
static_assert(kLaidOut<char1, 1, 1> && kLaidOut<char2, 2, 2> && kLaidOut<char3, 3, 1> &&
              kLaidOut<char4, 4, 4> && kLaidOut<uchar4, 4, 4>);
static_assert(kLaidOut<short2, 4, 4> && kLaidOut<short3, 6, 2> && kLaidOut<ushort4, 8, 8>);
static_assert(kLaidOut<int1, 4, 4> && kLaidOut<int2, 8, 8> && kLaidOut<int3, 12, 4> &&
              kLaidOut<int4, 16, 16> && kLaidOut<uint2, 8, 8> && kLaidOut<uint3, 12, 4> &&
              kLaidOut<uint4, 16, 16>);
static_assert(kLaidOut<float2, 8, 8> && kLaidOut<float3, 12, 4> && kLaidOut<float4, 16, 16>);
static_assert(kLaidOut<double1, 8, 8> && kLaidOut<double2, 16, 16> && kLaidOut<double3, 24, 8> &&
              kLaidOut<double4, 32, 16>);
static_assert(kLaidOut<longlong2, 16, 16> && kLaidOut<ulonglong4, 32, 16> &&
              kLaidOut<long2, 16, 16>);
static_assert(kLaidOut<dim3, 12, 4>);

__global__ void copy_vectors(const float* in, float* out) {
  const float4 v = reinterpret_cast<const float4*>(in)[threadIdx.x];
  reinterpret_cast<float2*>(out)[2 * threadIdx.x] = make_float2(v.w, v.z);
  reinterpret_cast<float2*>(out)[2 * threadIdx.x + 1] = {v.y, v.x};
}

__global__ void cache_hints(const int* in, const double2* pairs, int* out, double2* pairs_out) {
  out[0] = __ldg(&in[0]) + __ldca(&in[1]) + __ldcs(&in[2]) + __ldlu(&in[3]) + __ldcg(&in[4]) +
           __ldcv(&in[5]);
  __stwb(&out[1], 10);
  __stcg(&out[2], 20);
  __stcs(&out[3], 30);
  __stwt(&out[4], 40);
  const double2 pair = __ldg(pairs);
  __stcs(pairs_out, make_double2(pair.y, pair.x));
}

__global__ void print(const char* what) {
  printf("%s %d of %u: %.2f %llu\n", what, static_cast<int>(threadIdx.x), blockDim.x,
         0.5 * threadIdx.x, 1ull << 40);
}

__global__ void clocks(long long* ticks) {
  const long long start = clock64();
  for (int i = 0; i < 1000; ++i) __nanosleep(1);
  __threadfence_block();
  *ticks = clock64() - start;
}

}  // namespace

TEST_CASE("vectors move as wholes") {
  const test::DeviceArray<float> in(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  const test::DeviceArray<float> out(8);
  copy_vectors<<<1, 2>>>(in.get(), out.get());
  CHECK(out.read() == std::vector<float>{4, 3, 2, 1, 8, 7, 6, 5});
  const uchar4 c = make_uchar4(1, 2, 3, 255);
  CHECK(c.w == 255);
  const dim3 d = make_uint3(2, 3, 4);
  CHECK(d.z == 4);
}

TEST_CASE("loads and stores with cache hints") {
  const test::DeviceArray<int> in(std::vector<int>{1, 2, 4, 8, 16, 32});
  const test::DeviceArray<double2> pairs(1, make_double2(1.5, 2.5));
  const test::DeviceArray<int> out(5, 0);
  const test::DeviceArray<double2> pairs_out(1);
  cache_hints<<<1, 1>>>(in.get(), pairs.get(), out.get(), pairs_out.get());
  CHECK(out.read() == std::vector<int>{63, 10, 20, 30, 40});
  CHECK(pairs_out.read()[0].x == 2.5);
  CHECK(pairs_out.read()[0].y == 1.5);
}

TEST_CASE("constants") {
  CHECK(CUDART_PI_F == doctest::Approx(M_PI));
  CHECK(std::isnan(CUDART_NAN_F));
  CHECK(std::isinf(CUDART_INF));
}

TEST_CASE("device code prints") {
  test::Captured output(stdout);
  print<<<1, 3>>>("thread");
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  const std::string text = output.text();
  test::check_contains(
      text, {"thread 0 of 3: 0.00 1099511627776\n", "thread 1 of 3: 0.50 1099511627776\n",
             "thread 2 of 3: 1.00 1099511627776\n"});
}

TEST_CASE("clocks go forward") {
  const test::DeviceArray<long long> ticks(1, -1ll);
  clocks<<<1, 1>>>(ticks.get());
  CHECK(ticks.read()[0] > 0);
}

// With a nap of the host per call, a busy host would take seconds.
TEST_CASE("a thousand calls of __nanosleep(1) are not a thousand naps of the host") {
  const auto naps = [] {
    rusage usage{};
    REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_nvcsw;
  };
  const test::DeviceArray<long long> ticks(1, -1ll);
  const long before = naps();
  clocks<<<1, 1>>>(ticks.get());
  CHECK(ticks.read()[0] > 0);
  CHECK(naps() - before < 500);
}
