// Random numbers in kernels: published answers of the generators, and cuRAND's sequences.
#include <curand_kernel.h>

#include <cmath>

#include "support.h"

namespace {

bool are(const uint4& words, unsigned x, unsigned y, unsigned z, unsigned w) {
  return words.x == x && words.y == y && words.z == z && words.w == w;
}

template <class State>
__global__ void draw(unsigned long long seed, State* states, unsigned* bits, float* uniform,
                     float* normal, int count) {
  const unsigned thread = threadIdx.x + blockIdx.x * blockDim.x;
  State state;
  curand_init(seed, thread, 0, &state);
  for (int i = 0; i < count; ++i) {
    bits[thread * count + i] = curand(&state);
    uniform[thread * count + i] = curand_uniform(&state);
    normal[thread * count + i] = curand_normal(&state);
  }
  states[thread] = state;
}

template <class State>
void check_draws() {
  constexpr int kThreads = 64;
  constexpr int kCount = 500;
  const test::DeviceArray<State> states(kThreads);
  const test::DeviceArray<unsigned> bits(kThreads * kCount);
  const test::DeviceArray<float> uniform(kThreads * kCount);
  const test::DeviceArray<float> normal(kThreads * kCount);
  draw<<<2, kThreads / 2>>>(42, states.get(), bits.get(), uniform.get(), normal.get(), kCount);
  double sum = 0;
  double square = 0;
  for (const float x : normal.read()) {
    sum += static_cast<double>(x);
    square += static_cast<double>(x) * static_cast<double>(x);
  }
  // Within five standard deviations of what they would be on average.
  constexpr double kAll = kThreads * kCount;
  CHECK(std::fabs(sum / kAll) < 5 / std::sqrt(kAll));
  CHECK(std::fabs(square / kAll - 1) < 5 * std::sqrt(2 / kAll));
  sum = 0;
  for (const float x : uniform.read()) {
    CHECK((x > 0 && x <= 1));
    sum += static_cast<double>(x);
  }
  CHECK(std::fabs(sum / kAll - 0.5) < 5 / std::sqrt(12 * kAll));
  State state;
  curand_init(42, 3, 0, &state);
  CHECK(bits.read()[3 * kCount] == curand(&state));
  State left = states.read()[3];  // goes on where the kernel left it
  skipahead(3 * kCount - 1, &state);
  CHECK(curand(&left) == curand(&state));
}

// A jump is as many steps, from wherever it starts; a sequence is where its jump leads.
template <class State>
void check_jumps() {
  for (const unsigned steps : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 1000u}) {
    for (const unsigned before : {0u, 1u, 2u, 3u}) {
      State walked;
      State jumped;
      curand_init(7, 2, before, &walked);
      curand_init(7, 2, 0, &jumped);
      for (unsigned i = 0; i < steps; ++i) curand(&walked);
      skipahead(before, &jumped);
      skipahead(steps, &jumped);
      CHECK(curand(&walked) == curand(&jumped));
    }
  }
  State begun;
  State jumped;
  curand_init(7, 1000000007, 5, &begun);
  curand_init(7, 1000000000, 5, &jumped);
  skipahead_sequence(7, &jumped);
  CHECK(curand(&begun) == curand(&jumped));
}

template <class State>
void check_sequence(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                    std::initializer_list<unsigned> expected) {
  State state;
  curand_init(seed, sequence, offset, &state);
  for (const unsigned bits : expected) CHECK(curand(&state) == bits);
}

}  // namespace

TEST_CASE("Philox gives the answers that its authors publish") {
  CHECK(are(cucpu::philox({0, 0, 0, 0}, {0, 0}), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  CHECK(are(cucpu::philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
            0x6d5451fd));
  CHECK(
      are(cucpu::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
          0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST_CASE("sequences are cuRAND's") {
  check_sequence<curandState>(0, 0, 0, {0xbd7f03b6, 0x703e556d, 0x845af0c5});
  check_sequence<curandState>(1234, 5, 7, {0xc7c04273, 0xd8577152, 0x18c2f892});
  check_sequence<curandState>(0xdeadbeefcafef00d, 0x1234567890, 1ull << 32,
                              {0xd4b60389, 0x19339e27, 0x171f72a0});
  check_sequence<curandStatePhilox4_32_10_t>(0, 0, 3, {0x9b00dbd8, 0xf8e4cca4, 0x5cb200db});
  check_sequence<curandStatePhilox4_32_10_t>(1234, 5, 7, {0x72c26332, 0x26a9bd1b, 0xd88ecb0d});
  curandStatePhilox4_32_10_t state;
  curand_init(0, 0, 1, &state);
  CHECK(are(curand4(&state), 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0xf8e4cca4));
  CHECK(curand_uniform_double(&state) == (0x5cb200db + 1.0) * 0x1p-32);
  static_assert(sizeof(curandState) == 48 && sizeof(curandStatePhilox4_32_10_t) == 64);
}

TEST_CASE_TEMPLATE("a jump is as many steps", State, curandState, curandStatePhilox4_32_10_t) {
  check_jumps<State>();
}

TEST_CASE_TEMPLATE("kernels draw from a sequence each", State, curandState,
                   curandStatePhilox4_32_10_t) {
  check_draws<State>();
}

TEST_CASE("normal numbers come in pairs, of which a call takes one") {
  curandState one;
  curandState two;
  curand_init(3, 0, 0, &one);
  curand_init(3, 0, 0, &two);
  const float2 pair = curand_normal2(&two);
  CHECK(curand_normal(&one) == pair.x);
  CHECK(curand_normal(&one) == pair.y);
  CHECK(curand(&one) == curand(&two));
  curand(&two);
  curand(&one);
  const double2 wide = curand_normal2_double(&two);
  CHECK(curand_normal_double(&one) == wide.x);
  CHECK(curand_normal_double(&one) == wide.y);
}
