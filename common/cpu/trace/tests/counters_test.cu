// One kernel for each way in which a warp can access memory or wait, and what it must count:
// figures worked out by hand from the rules (rules.h).
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "cucpu/trace.h"
#include "support.h"

namespace {

using cucpu::trace::AccessCount;
using cucpu::trace::Counters;
using cucpu::trace::LaunchCounters;

constexpr int kWarp = 32;
constexpr int kElements = 4096;

// The counters of the one launch in `launch`.
template <class Launch>
LaunchCounters count(Launch launch) {
  cucpu::trace::start_counting();
  launch();
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  std::vector<LaunchCounters> launches = cucpu::trace::take_counters();
  REQUIRE(launches.size() == 1);
  return launches.front();
}

// How the lanes of a warp choose what to access: element lane * stride + first, in groups of `same`
// lanes that access the same one; lanes from `lanes` on do nothing.
struct Pattern {
  int stride = 1;
  int first = 0;
  int same = 1;
  int lanes = kWarp;
};

__device__ int element(const Pattern& p) {
  return static_cast<int>(threadIdx.x) / p.same * p.stride + p.first;
}

template <class T>
__global__ void load_global(const T* from, Pattern p, T* to) {
  if (static_cast<int>(threadIdx.x) >= p.lanes) return;
  const T value = from[element(p)];
  asm volatile("" : : "m"(value));
  (void)to;
}
template <class T>
__global__ void store_global(T* to, Pattern p) {
  if (static_cast<int>(threadIdx.x) < p.lanes) to[element(p)] = T{};
}
template <class T>
__global__ void load_shared(Pattern p) {
  extern __shared__ char memory[];
  if (static_cast<int>(threadIdx.x) >= p.lanes) return;
  const T value = reinterpret_cast<const T*>(memory)[element(p)];
  asm volatile("" : : "m"(value));
}
template <class T>
__global__ void store_shared(Pattern p) {
  extern __shared__ char memory[];
  if (static_cast<int>(threadIdx.x) < p.lanes) reinterpret_cast<T*>(memory)[element(p)] = T{};
}

template <class T>
void check_global(Pattern p, unsigned sectors) {
  CAPTURE(sizeof(T));
  CAPTURE(p.stride);
  CAPTURE(p.first);
  CAPTURE(p.same);
  CAPTURE(p.lanes);
  const test::DeviceArray<T> array(kElements);
  const AccessCount load =
      count([&] { load_global<<<1, kWarp>>>(array.get(), p, array.get()); }).counters.global_load;
  const AccessCount store =
      count([&] { store_global<<<1, kWarp>>>(array.get(), p); }).counters.global_store;
  for (const AccessCount& c : {load, store}) {
    CHECK(c.requests == 1);
    CHECK(c.sectors == sectors);
    CHECK(c.threads == static_cast<unsigned>(p.lanes));
    CHECK(c.bytes == p.lanes * sizeof(T));
  }
}

struct Passes {
  unsigned load, store;
  unsigned load_conflicts, store_conflicts;
};

template <class T>
void check_shared(Pattern p, Passes expected) {
  CAPTURE(sizeof(T));
  CAPTURE(p.stride);
  CAPTURE(p.first);
  CAPTURE(p.same);
  CAPTURE(p.lanes);
  constexpr std::size_t kBytes = 48 * 1024;
  const AccessCount load =
      count([&] { load_shared<T><<<1, kWarp, kBytes>>>(p); }).counters.shared_load;
  const AccessCount store =
      count([&] { store_shared<T><<<1, kWarp, kBytes>>>(p); }).counters.shared_store;
  CHECK(load.requests == 1);
  CHECK(store.requests == 1);
  CHECK(load.wavefronts == expected.load);
  CHECK(store.wavefronts == expected.store);
  CHECK(load.conflicts == expected.load_conflicts);
  CHECK(store.conflicts == expected.store_conflicts);
}

// They begin with a sector.
alignas(32) __device__ int of_device[64];
alignas(32) __managed__ float of_both[kWarp] = {1, 2, 3};
__constant__ int constant[kWarp] = {1, 2, 3};
__constant__ float constant_floats[kWarp] = {1, 2, 3};
__device__ unsigned int ticket;

__global__ void use_variables(int* out) {
  const unsigned i = threadIdx.x;
  of_device[2 * i] = constant[i];
  out[i] = static_cast<int>(of_both[i]) + constant[kWarp - 1 - i];
  atomicAdd(&ticket, 1u);
}

}  // namespace

TEST_CASE("__device__ and __managed__ variables are global memory, __constant__ ones are not") {
  const test::DeviceArray<int> out(kWarp);
  for (int time = 0; time < 2; ++time) {
    const auto counters = count([&] { use_variables<<<1, kWarp>>>(out.get()); }).counters;
    CHECK(counters.global_store.requests == 2);
    CHECK(counters.global_store.sectors == 8 + 4);
    CHECK(counters.global_load.requests == 1);
    CHECK(counters.global_load.sectors == 4);
    CHECK(counters.global_atomic.requests == 1);
    // That the host has asked for them changes nothing.
    void* pointer = nullptr;
    REQUIRE(cudaGetSymbolAddress(&pointer, constant) == cudaSuccess);
    REQUIRE(cudaGetSymbolAddress(&pointer, of_device) == cudaSuccess);
  }
}

TEST_CASE("global: sectors of a request") {
  SUBCASE("4 bytes") {
    check_global<float>({}, 4);
    check_global<float>({.first = 1}, 5);
    check_global<float>({.first = 8}, 4);
    check_global<float>({.stride = 2}, 8);
    check_global<float>({.stride = 3}, 12);
    check_global<float>({.stride = 8}, 32);
    check_global<float>({.stride = 33}, 32);
    check_global<float>({.stride = 0}, 1);
    check_global<float>({.stride = -1, .first = 31}, 4);
    check_global<float>({.same = 8}, 1);
    check_global<float>({.lanes = 1}, 1);
    check_global<float>({.lanes = 9}, 2);
  }
  SUBCASE("8 bytes") {
    check_global<float2>({}, 8);
    check_global<float2>({.first = 1}, 9);
    check_global<double>({.stride = 4}, 32);
    check_global<float2>({.stride = 0}, 1);
    check_global<float2>({.lanes = 4}, 1);
  }
  SUBCASE("16 bytes") {
    check_global<float4>({}, 16);
    check_global<float4>({.first = 1}, 17);
    check_global<float4>({.stride = 2}, 32);
    check_global<float4>({.stride = 0}, 1);
    check_global<float4>({.lanes = 3}, 2);
  }
  SUBCASE("1 and 2 bytes") {
    check_global<unsigned char>({}, 1);
    check_global<unsigned char>({.first = 1}, 2);
    check_global<short>({}, 2);
    check_global<uchar4>({}, 4);
  }
}

TEST_CASE("shared: wavefronts of a request") {
  SUBCASE("4 bytes: all lanes at once") {
    check_shared<float>({}, {1, 1, 0, 0});
    check_shared<float>({.first = 5}, {1, 1, 0, 0});
    for (const int stride : {2, 4, 8, 16, 32}) {
      const auto n = static_cast<unsigned>(stride);
      check_shared<float>({.stride = stride}, {n, n, n - 1, n - 1});
    }
    for (const int stride : {0, 3, 5, 31, 33})
      check_shared<float>({.stride = stride}, {1, 1, 0, 0});
    check_shared<float>({.stride = 6}, {2, 2, 1, 1});
    check_shared<float>({.stride = 32, .same = 4}, {8, 8, 7, 7});
    check_shared<float>({.stride = 32, .lanes = 4}, {4, 4, 3, 3});
  }
  SUBCASE("8 bytes: half a warp at once") {
    check_shared<float2>({}, {2, 2, 0, 0});
    check_shared<float2>({.stride = 2}, {4, 4, 2, 2});
    check_shared<float2>({.stride = 16}, {32, 32, 30, 30});
    check_shared<float2>({.stride = 17}, {2, 2, 0, 0});
    check_shared<float2>({.lanes = 16}, {1, 1, 0, 0});
    // Loads: the whole warp at once where lanes share in pairs.
    check_shared<float2>({.stride = 0}, {1, 2, 0, 0});
    check_shared<float2>({.same = 2}, {1, 2, 0, 0});
    check_shared<float2>({.stride = 16, .same = 2}, {16, 16, 15, 14});
    check_shared<float2>({.stride = 17, .same = 16}, {1, 2, 0, 0});
  }
  SUBCASE("16 bytes: a quarter of a warp at once") {
    check_shared<float4>({}, {4, 4, 0, 0});
    check_shared<float4>({.stride = 2}, {8, 8, 4, 4});
    check_shared<float4>({.stride = 8}, {32, 32, 28, 28});
    check_shared<float4>({.stride = 9}, {4, 4, 0, 0});
    check_shared<float4>({.lanes = 8}, {1, 1, 0, 0});
    check_shared<float4>({.stride = 0}, {2, 4, 0, 0});
    check_shared<float4>({.same = 2}, {2, 4, 0, 0});
    check_shared<float4>({.same = 4}, {2, 4, 0, 0});
  }
  SUBCASE("less than a word") {
    check_shared<unsigned char>({}, {1, 1, 0, 0});
    check_shared<unsigned char>({.stride = 128}, {32, 32, 31, 31});
  }
}

namespace {
template <class T>
std::uint64_t shared_words(Pattern p) {
  return count([&] { load_shared<T><<<1, kWarp, 48 * 1024>>>(p); }).counters.shared_load.words;
}
}  // namespace

TEST_CASE("shared: distinct words of a request") {
  CHECK(shared_words<float>({}) == 32);
  CHECK(shared_words<float>({.first = 5}) == 32);
  CHECK(shared_words<float>({.stride = 33}) == 32);
  CHECK(shared_words<float>({.stride = 32, .same = 4}) == 8);
  CHECK(shared_words<float>({.stride = 0}) == 1);
  CHECK(shared_words<float2>({}) == 64);
  CHECK(shared_words<float2>({.stride = 17, .same = 16}) == 4);
  CHECK(shared_words<float4>({}) == 128);
  CHECK(shared_words<float4>({.same = 4}) == 32);
  CHECK(shared_words<float4>({.stride = 8, .same = 2, .lanes = 7}) == 16);
  CHECK(shared_words<unsigned char>({}) == 8);
}

namespace {
__global__ void add_to_one(int* sum, float* shared_result) {
  __shared__ int counter;
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  atomicAdd(&counter, 1);
  atomicAdd(sum, 1);
  atomicMax(sum + blockDim.x + threadIdx.x, 3);
  __syncthreads();
  if (threadIdx.x == 0) *shared_result = static_cast<float>(counter);
}
}  // namespace

TEST_CASE("atomics are requests of their own, and are done") {
  const test::DeviceArray<int> sum(4 * kWarp, 0);
  const test::DeviceArray<float> result(1);
  const LaunchCounters launch =
      count([&] { add_to_one<<<1, 2 * kWarp>>>(sum.get(), result.get()); });
  CHECK(launch.counters.global_atomic.requests == 4);
  CHECK(launch.counters.global_atomic.threads == 4 * kWarp);
  CHECK(launch.counters.global_atomic.sectors == 2 * 32 * 1 + 2 * 4);
  CHECK(launch.counters.shared_atomic.requests == 2);
  CHECK(launch.counters.global_load.requests == 0);
  CHECK(launch.counters.global_store.requests == 1);
  CHECK(launch.counters.shared_load.requests == 1);
  CHECK(launch.counters.barriers == 2);
  CHECK(sum.read()[0] == 2 * kWarp);
  CHECK(result.read()[0] == 2 * kWarp);
}

namespace {
// Lanes meet at element lane / same * stride.
template <class T>
__global__ void add_in_shared(Pattern p) {
  extern __shared__ char memory[];
  atomicAdd(reinterpret_cast<T*>(memory) + element(p), static_cast<T>(threadIdx.x));
}
__global__ void swap_in_shared(Pattern p) {
  extern __shared__ char memory[];
  atomicCAS(reinterpret_cast<int*>(memory) + element(p), 1, 2);
}
__global__ void count_in_shared(Pattern p) {
  extern __shared__ int counts[];
  atomicAdd(&counts[element(p)], 1);
}
__global__ void take_number_in_shared(Pattern p) {
  extern __shared__ int counts[];
  const int number = atomicAdd(&counts[element(p)], 1);
  asm volatile("" : : "m"(number));
}
__global__ void add_two_in_shared(Pattern p) {
  extern __shared__ int counts[];
  if (p.lanes > 0) atomicAdd(&counts[element(p)], 2);
}
__global__ void add_in_global(int* to, Pattern p) { atomicAdd(&to[element(p)], 1); }

constexpr std::size_t kAtomicBytes = 16 * 1024;

void check_atomic(const AccessCount& c, unsigned requests, unsigned wavefronts,
                  unsigned conflicts) {
  CHECK(c.requests == requests);
  CHECK(c.wavefronts == wavefronts);
  CHECK(c.conflicts == conflicts);
}
}  // namespace

TEST_CASE("atomics: lanes that meet take turns") {
  SUBCASE("in global memory, sector by sector") {
    const test::DeviceArray<int> to(kElements);
    const auto sectors = [&](Pattern p) {
      return count([&] { add_in_global<<<1, kWarp>>>(to.get(), p); })
          .counters.global_atomic.sectors;
    };
    CHECK(sectors({}) == 4);
    CHECK(sectors({.stride = 0}) == 32);
    CHECK(sectors({.same = 2}) == 2 * 2);
    CHECK(sectors({.stride = 8, .same = 4}) == 8 * 4);
  }
  SUBCASE("integers in shared memory, bank by bank") {
    const auto check = [](Pattern p, unsigned wavefronts) {
      CAPTURE(p.stride);
      CAPTURE(p.same);
      const auto c = count([&] { add_in_shared<int><<<1, kWarp, kAtomicBytes>>>(p); }).counters;
      check_atomic(c.shared_atomic, 1, wavefronts, wavefronts - 1);
      CHECK(c.shared_load.requests == 0);
    };
    check({}, 1);
    check({.stride = 2}, 2);
    check({.stride = 33}, 1);
    check({.stride = 0}, 32);
    check({.same = 4}, 4);
    check({.stride = 32, .same = 2}, 32);
  }
  SUBCASE("but to count, only bank by bank") {
    const auto wavefronts = [](auto kernel, Pattern p) {
      return count([&] { kernel<<<1, kWarp, kAtomicBytes>>>(p); })
          .counters.shared_atomic.wavefronts;
    };
    CHECK(wavefronts(count_in_shared, {.stride = 0}) == 1);
    CHECK(wavefronts(count_in_shared, {.same = 4}) == 1);
    CHECK(wavefronts(count_in_shared, {.stride = 32, .same = 2}) == 16);
    CHECK(wavefronts(take_number_in_shared, {.same = 4}) == 4);
    CHECK(wavefronts(add_two_in_shared, {.same = 4}) == 4);
  }
  SUBCASE("compare and swap, twice") {
    const auto c = count([&] { swap_in_shared<<<1, kWarp, kAtomicBytes>>>({.same = 4}); }).counters;
    check_atomic(c.shared_atomic, 1, 2 * 4, 4 - 1);
  }
  SUBCASE("floats in shared memory, in a loop that loads, adds, compares and swaps") {
    const auto check = [](Pattern p, unsigned rounds, unsigned load_wavefronts) {
      CAPTURE(p.stride);
      CAPTURE(p.same);
      const auto c = count([&] { add_in_shared<float><<<1, kWarp, kAtomicBytes>>>(p); }).counters;
      check_atomic(c.shared_atomic, rounds, 2 * rounds, 0);
      check_atomic(c.shared_load, rounds, load_wavefronts, load_wavefronts - rounds);
      CHECK(c.shared_load.threads == c.shared_atomic.threads);
    };
    check({}, 1, 1);
    check({.stride = 0}, 32, 32);
    check({.stride = 2}, 2, 2 + 1);
    check({.stride = 32}, 32, 32 * 33 / 2);
    check({.stride = 32, .same = 2}, 32, 2 * (16 * 17 / 2));
  }
  SUBCASE("64 bits in shared memory, half a warp at once") {
    const auto c =
        count([&] { add_in_shared<double><<<1, kWarp, kAtomicBytes>>>({.same = 2}); }).counters;
    check_atomic(c.shared_atomic, 2, 2 * 2 * 2, 0);
    check_atomic(c.shared_load, 2, 2, 0);
  }
}

namespace {
__global__ void synchronize(int* out) {
  int value = static_cast<int>(threadIdx.x);
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  __syncwarp();
  const bool any = __any_sync(~0u, value > 3);
  if (threadIdx.x % kWarp < 4) value += __shfl_xor_sync(0xf, value, 1);
  __syncthreads();
  if (threadIdx.x >= kWarp) return;
  __syncthreads();
  out[threadIdx.x] = value + any;
}
}  // namespace

TEST_CASE("waiting is counted once for each warp, and barriers once for each block") {
  const test::DeviceArray<int> out(kWarp);
  const LaunchCounters launch = count([&] { synchronize<<<3, 4 * kWarp>>>(out.get()); });
  CHECK(launch.counters.shuffles == 3 * 4 * 6);
  CHECK(launch.counters.warp_syncs == 3 * 4);
  CHECK(launch.counters.votes == 3 * 4);
  CHECK(launch.counters.barriers == 3 * 2);
  CHECK(launch.counters.global_store.requests == 3);
  CHECK(launch.kernel == "synchronize");
  CHECK(launch.grid.x == 3);
  CHECK(launch.block.x == 4 * kWarp);
}

namespace {
struct Sample {
  float value, weight;
};
// Too long for a compiler to inline it unasked where it is called twice.
__device__ Sample merge(Sample a, Sample b) {
  const float larger = fmaxf(a.value, b.value);
  const float smaller = fminf(a.value, b.value);
  const float weight = a.weight * expf(a.value - larger) + b.weight * expf(b.value - larger);
  const float spread = sqrtf(larger * larger + smaller * smaller) + logf(1 + fabsf(larger));
  const float angle = atan2f(smaller, larger + 1) + sinf(smaller) * cosf(larger);
  const float tail = powf(fabsf(spread), 0.5f) + tanhf(angle) + log1pf(fabsf(weight));
  return {larger + spread * angle, weight + tail};
}
__global__ void merge_samples(Sample* samples) {
  const unsigned i = threadIdx.x;
  const Sample both = merge(samples[i], samples[kWarp + i]);
  samples[i] = merge(both, samples[2 * kWarp + i]);
}
// Cannot be inlined whole.
__device__ Sample divide(Sample sample, unsigned times) {
  if (times == 0) return sample;
  const Sample half = divide({sample.value / 2, sample.weight / 2}, times - 1);
  const Sample other = divide(half, times / 2);
  return {half.value + other.value, half.weight + other.weight};
}
__global__ void store_divided(Sample* samples) {
  samples[threadIdx.x] = divide({1, 1}, threadIdx.x % 8);
}
}  // namespace

namespace {
struct Pixel {
  unsigned char red, green, blue;
};
struct Sides {
  short a, b, c;
};
struct Ray {
  float origin[3], direction[3];
};
template <class T>
__global__ void reverse(const T* from, T* to) {
  to[threadIdx.x] = from[kWarp - 1 - threadIdx.x];
}
}  // namespace

TEST_CASE("a struct that is copied whole is copied by its members") {
  const auto check = [](auto value, unsigned requests) {
    using T = decltype(value);
    const test::DeviceArray<T> from(kWarp), to(kWarp);
    const Counters c = count([&] { reverse<<<1, kWarp>>>(from.get(), to.get()); }).counters;
    for (const AccessCount& copied : {c.global_load, c.global_store}) {
      CHECK(copied.requests == requests);
      CHECK(copied.bytes == kWarp * sizeof(T));
    }
  };
  check(Pixel{}, 3);
  check(Sides{}, 3);
  check(Sample{}, 2);
  check(Ray{}, 6);
}

TEST_CASE("a struct is read as an argument of a function, and stored as a result") {
  const test::DeviceArray<Sample> samples(3 * kWarp);
  const LaunchCounters launch = count([&] { merge_samples<<<1, kWarp>>>(samples.get()); });
  CHECK(launch.counters.global_load.bytes == 3 * kWarp * sizeof(Sample));
  CHECK(launch.counters.global_store.bytes == kWarp * sizeof(Sample));

  const LaunchCounters divided = count([&] { store_divided<<<1, kWarp>>>(samples.get()); });
  CHECK(divided.counters.global_load.bytes == 0);
  CHECK(divided.counters.global_store.bytes == kWarp * sizeof(Sample));
}

namespace {
template <int kValue>
__global__ void store_value(int* to) {
  to[threadIdx.x] = kValue;
}
}  // namespace

TEST_CASE("a kernel launched through a pointer goes by its own name") {
  const test::DeviceArray<int> array(kWarp);
  for (void (*const kernel)(int*) : {store_value<1>, store_value<2>}) {
    const LaunchCounters launch = count([&] { kernel<<<1, kWarp>>>(array.get()); });
    CHECK(launch.kernel == "store_value");
  }
}

namespace {
__global__ void branch(const float* from, float* to) {
  const unsigned lane = threadIdx.x;
  if (lane < 8) {
    reinterpret_cast<int*>(to)[lane] = 1;
  } else {
    to[lane] = from[lane];
  }
  to[lane + kWarp] = 2.0f;
}

__global__ void loop(float* to) {
  // Lane l goes round l + 1 times.
  for (unsigned i = 0; i <= threadIdx.x; ++i) to[i * kWarp + threadIdx.x] = 1.0f;
  to[threadIdx.x] = 0.0f;
}

__global__ void gather(float* to) {
  to[threadIdx.x] = 1.0f;
  const unsigned together = __activemask();
  to[threadIdx.x] = static_cast<float>(together);
}

__global__ void loop_with_barriers(float* to) {
  for (int i = 0; i < 3; ++i) {
    to[threadIdx.x + i] = 1.0f;
    __syncthreads();
  }
}
}  // namespace

TEST_CASE("lanes that take different ways") {
  const test::DeviceArray<float> array(kElements);
  SUBCASE("each way is a request of its lanes, and where they meet again there is one") {
    const LaunchCounters launch = count([&] { branch<<<1, kWarp>>>(array.get(), array.get()); });
    CHECK(launch.counters.global_load.requests == 1);
    CHECK(launch.counters.global_load.threads == 24);
    CHECK(launch.counters.global_store.threads == 2 * kWarp);
    CHECK(launch.counters.global_store.requests == 3);
    CHECK(launch.counters.global_store.sectors == 1 + 3 + 4);
  }
  SUBCASE("the n-th round of one lane is the n-th of the others") {
    const LaunchCounters launch = count([&] { loop<<<1, kWarp>>>(array.get()); });
    CHECK(launch.counters.global_store.requests == kWarp + 1);
    CHECK(launch.counters.global_store.threads == kWarp * (kWarp + 1) / 2 + kWarp);
  }
  SUBCASE("lanes that look who is with them") {
    const LaunchCounters launch = count([&] { gather<<<1, kWarp>>>(array.get()); });
    CHECK(launch.counters.global_store.requests == 2);
    CHECK(launch.counters.global_store.threads == 2 * kWarp);
    CHECK(launch.counters.votes == 1);
  }
  SUBCASE("rounds with barriers between") {
    const LaunchCounters launch = count([&] { loop_with_barriers<<<1, 4 * kWarp>>>(array.get()); });
    CHECK(launch.counters.global_store.requests == 3 * 4);
    CHECK(launch.counters.global_store.sectors == 4 * (4 + 5 + 5));
    CHECK(launch.counters.barriers == 3);
  }
}

namespace {
__global__ void sync_grid(int* out, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0) out[blockIdx.x] = round;
  }
}
}  // namespace

TEST_CASE("a barrier of the grid is one for each of its blocks") {
  const test::DeviceArray<int> out(2);
  int* pointer = out.get();
  int rounds = 3;
  void* arguments[] = {&pointer, &rounds};
  const LaunchCounters launch = count([&] {
    REQUIRE(cudaLaunchCooperativeKernel(sync_grid, 2, 2 * kWarp, arguments) == cudaSuccess);
  });
  CHECK(launch.counters.barriers == 2 * 3 * 2);
  CHECK(launch.counters.global_store.requests == 2 * 3);
  CHECK(launch.counters.global_store.threads == 2 * 3);
}

namespace {
__global__ void use_static_and_local(const float* from, float* to) {
  __shared__ float first[kWarp];
  __shared__ float4 second[kWarp];
  float local[8];
  for (int i = 0; i < 8; ++i) local[(i + threadIdx.x) % 8] = static_cast<float>(i);
  first[threadIdx.x] = from[threadIdx.x];
  second[threadIdx.x] = make_float4(1, 2, 3, 4);
  __syncwarp();
  const float4 v = second[kWarp - 1 - threadIdx.x];
  to[threadIdx.x] = first[threadIdx.x] + v.x + v.w + local[3];
}

__global__ void copy_async(const float4* from, float* to) {
  __shared__ float4 tile[kWarp];
  __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  to[threadIdx.x] = tile[threadIdx.x].x;
}

// The first half of the warp reads shared memory where the second reads `from`.
__global__ void read_either(const float* from, float* to) {
  __shared__ float tile[kWarp];
  tile[threadIdx.x] = 1.0f;
  const float* const source = threadIdx.x < kWarp / 2 ? tile : from;
  to[threadIdx.x] = source[threadIdx.x];
}

// One instruction reads four times, from memory of three kinds.
__global__ void read_in_turns(const float* from, float* to) {
  __shared__ float tile[kWarp];
  tile[threadIdx.x] = 1.0f;
  const float* const sources[] = {from, tile, constant_floats, from};
  float sum = 0;
#pragma unroll 1
  for (const float* source : sources) sum += source[threadIdx.x];
  to[threadIdx.x] = sum;
}

__global__ void double_four(const float* from, float* to) {
  for (unsigned i = 4 * threadIdx.x; i < 4 * threadIdx.x + 4; ++i) to[i] = 2 * from[i];
}
}  // namespace

TEST_CASE("one instruction, and memory of several kinds") {
  const test::DeviceArray<float> array(2 * kWarp);
  SUBCASE("in different lanes: a request for each kind") {
    const Counters c =
        count([&] { read_either<<<1, kWarp>>>(array.get(), array.get() + kWarp); }).counters;
    CHECK(c.global_load.requests == 1);
    CHECK(c.global_load.sectors == 2);
    CHECK(c.global_load.threads == kWarp / 2);
    CHECK(c.shared_load.requests == 1);
    CHECK(c.shared_load.words == kWarp / 2);
    CHECK(c.shared_load.threads == kWarp / 2);
  }
  SUBCASE("one after the other") {
    const Counters c =
        count([&] { read_in_turns<<<1, kWarp>>>(array.get(), array.get() + kWarp); }).counters;
    CHECK(c.global_load.requests == 2);
    CHECK(c.global_load.sectors == 2 * 4);
    CHECK(c.shared_load.requests == 1);
  }
}

TEST_CASE("neighbors in memory that are accessed one by one are not taken together") {
  const test::DeviceArray<float> from(4 * kWarp), to(4 * kWarp);
  const Counters c = count([&] { double_four<<<1, kWarp>>>(from.get(), to.get()); }).counters;
  for (const AccessCount& access : {c.global_load, c.global_store}) {
    CHECK(access.requests == 4);
    CHECK(access.width() == sizeof(float));
    CHECK(access.sectors == 4 * 16);
  }
}

TEST_CASE("static shared variables count, a thread's own do not") {
  const test::DeviceArray<float> array(2 * kWarp);
  const LaunchCounters launch =
      count([&] { use_static_and_local<<<2, kWarp>>>(array.get(), array.get() + kWarp); });
  CHECK(launch.counters.global_load.requests == 2);
  CHECK(launch.counters.global_store.requests == 2);
  CHECK(launch.counters.shared_store.requests == 4);
  CHECK(launch.counters.shared_store.wavefronts == 2 * (1 + 4));
  CHECK(launch.counters.shared_load.requests == 4);
  CHECK(launch.counters.shared_load.conflicts == 0);
}

TEST_CASE("an asynchronous copy loads and stores") {
  const test::DeviceArray<float4> from(kWarp);
  const test::DeviceArray<float> to(kWarp);
  const LaunchCounters launch = count([&] { copy_async<<<1, kWarp>>>(from.get(), to.get()); });
  CHECK(launch.counters.global_load.requests == 1);
  CHECK(launch.counters.global_load.sectors == 16);
  CHECK(launch.counters.shared_store.wavefronts == 4);
}

namespace {
// The first lanes have nothing to copy, and fill with zeros.
__global__ void copy_async_partly(const float* from, unsigned first) {
  __shared__ float tile[kWarp];
  const std::size_t zeros = threadIdx.x < first ? sizeof(float) : 0;
  __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(float), zeros);
  __pipeline_commit();
  __pipeline_wait_prior(0);
}
}  // namespace

TEST_CASE("an asynchronous copy stores in more lanes than it loads in") {
  const test::DeviceArray<float> from(kWarp);
  const Counters c = count([&] { copy_async_partly<<<1, kWarp>>>(from.get(), 8); }).counters;
  CHECK(c.global_load.requests == 1);
  CHECK(c.global_load.threads == kWarp - 8);
  CHECK(c.global_load.sectors == 3);
  CHECK(c.shared_store.requests == 1);
  CHECK(c.shared_store.threads == kWarp);
}

namespace {
__global__ void gather_async(const float* from, int stride) {
  __shared__ float tile[kWarp];
  __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x * stride], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
}
}  // namespace

TEST_CASE("an asynchronous copy takes turns at the banks of either side") {
  const test::DeviceArray<float> from(kElements);
  const auto stored = [&](int stride) {
    return count([&] { gather_async<<<1, kWarp>>>(from.get(), stride); }).counters.shared_store;
  };
  CHECK(stored(1).wavefronts == 1);
  CHECK(stored(4).wavefronts == 4);
  CHECK(stored(4).conflicts == 3);
  CHECK(stored(33).wavefronts == 1);
  CHECK(stored(0).wavefronts == 32);
}

namespace {
__global__ void two_lines(const float* from, float* to) {
  const float a = from[threadIdx.x * 8];
  const float b = from[threadIdx.x];
  to[threadIdx.x] = a + b;
}
constexpr unsigned kFirstLine = __LINE__ - 4;
}  // namespace

TEST_CASE("source lines, the costliest first") {
  const test::DeviceArray<float> from(kElements), to(kWarp);
  const LaunchCounters launch = count([&] { two_lines<<<1, kWarp>>>(from.get(), to.get()); });
  REQUIRE(launch.lines.size() == 3);
  CHECK(launch.lines[0].line == kFirstLine);
  CHECK(launch.lines[0].counters.global_load.sectors == 32);
  CHECK(launch.lines[0].file.ends_with("counters_test.cu"));
  CHECK(launch.lines[1].line == kFirstLine + 1);
  CHECK(launch.lines[2].line == kFirstLine + 2);
  test::check_contains(cucpu::trace::table(launch),
                       {"two_lines <<<(1), (32)>>>", "global load", "18.00",
                        "counters_test.cu:" + std::to_string(kFirstLine)});
}

TEST_CASE("what many workers count adds up") {
  const test::DeviceArray<float> array(1 << 16);
  const LaunchCounters launch =
      count([&] { store_global<<<512, kWarp>>>(array.get(), Pattern{}); });
  CHECK(launch.counters.global_store.requests == 512);
  CHECK(launch.counters.global_store.sectors == 512 * 4);
}

namespace {
__global__ void fail(float* to, int* nowhere) {
  to[threadIdx.x] = 1.0f;
  if (threadIdx.x == 5) *nowhere = 1;
  __syncthreads();
}
}  // namespace

TEST_CASE("a launch that fails leaves nothing behind") {
  const test::DeviceArray<float> array(kWarp);
  {
    const test::ResetAfterwards reset;
    test::Captured quiet(stderr);
    cucpu::trace::start_counting();
    fail<<<1, kWarp>>>(array.get(), nullptr);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    cucpu::trace::take_counters();
  }
  const test::DeviceArray<float> fresh(kWarp);
  const LaunchCounters launch = count([&] { store_global<<<1, kWarp>>>(fresh.get(), Pattern{}); });
  CHECK(launch.counters.global_store.requests == 1);
}
