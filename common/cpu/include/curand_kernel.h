// Random numbers in kernels, with cuRAND's sequences: XORWOW (curandState) and Philox 4x32-10. Bits
// and uniform numbers are cuRAND's; normal ones go through logarithms, sines and square roots,
// whose last bits a device computes in its own way.
#pragma once

#define CURAND_KERNEL_H_  // NVIDIA's include guard, which programs ask for

#include "cucpu/device/philox.h"
#include "cucpu/device/xorwow.h"
#include "cuda_runtime.h"

struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  unsigned unused;  // would be padding, which a copy reads though nobody has written it
  double boxmuller_extra_double;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandState = curandStateXORWOW;

struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned STATE;  // how many of `output` have been used
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

namespace cucpu {

template <class T>
concept RandomState = OneOf<T, curandStateXORWOW, curandStatePhilox4_32_10>;

constexpr int kSequenceLog2 = 67;  // steps of XORWOW from one sequence to the next
constexpr unsigned kXorwowWeyl = 362437;

inline void jump(curandStateXORWOW* state, unsigned long long steps, int log2_scale) {
  Xorwow words;
  for (int i = 0; i < 5; ++i) words.word[i] = state->v[i];
  words = xorwow_jump(words, steps, log2_scale);
  for (int i = 0; i < 5; ++i) state->v[i] = words.word[i];
}

// Adds to the 64-bit number high:low; whether it wraps round.
inline bool add_to(unsigned& low, unsigned& high, unsigned long long n) {
  const unsigned long long sum = (static_cast<unsigned long long>(high) << 32 | low) + n;
  low = static_cast<unsigned>(sum);
  high = static_cast<unsigned>(sum >> 32);
  return sum < n;
}
inline void advance(curandStatePhilox4_32_10* state, unsigned long long counters) {
  uint4 counter = state->ctr;
  if (add_to(counter.x, counter.y, counters)) add_to(counter.z, counter.w, 1);
  state->ctr = counter;
  state->output = philox(counter, state->key);
}

inline unsigned word(const uint4& words, unsigned i) {
  return i == 0 ? words.x : i == 1 ? words.y : i == 2 ? words.z : words.w;
}

// In (0, 1].
inline float uniform(unsigned bits) { return static_cast<float>(bits) * 0x1p-32f + 0x1p-33f; }
inline double uniform(unsigned low, unsigned high) {
  const unsigned long long bits = low ^ static_cast<unsigned long long>(high) << 21;
  return static_cast<double>(bits) * 0x1p-53 + 0x1p-54;
}

// Two numbers of the normal distribution: G. Box and M. Muller, 1958.
inline float2 normal_pair(unsigned x, unsigned y) {
  constexpr float kTurn = 0x1p-32f * 6.2831855f;
  const float angle = static_cast<float>(y) * kTurn + kTurn / 2;
  const float radius = sqrtf(-2.0f * logf(uniform(x)));
  return {sinf(angle) * radius, cosf(angle) * radius};
}
inline double2 normal_pair(unsigned x_low, unsigned x_high, unsigned y_low, unsigned y_high) {
  const double half_turns = 2 * uniform(y_low, y_high);
  const double radius = sqrt(-2.0 * log(uniform(x_low, x_high)));
  return {sinpi(half_turns) * radius, cospi(half_turns) * radius};
}

}  // namespace cucpu

// --- States ---

inline void skipahead(unsigned long long n, curandStateXORWOW* state) {
  cucpu::jump(state, n, 0);
  state->d += cucpu::kXorwowWeyl * static_cast<unsigned>(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
  cucpu::jump(state, n, cucpu::kSequenceLog2);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence,
                        unsigned long long offset, curandStateXORWOW* state) {
  const unsigned low = static_cast<unsigned>(seed) ^ 0xaad26b49;
  const unsigned high = static_cast<unsigned>(seed >> 32) ^ 0xf7dcefdd;
  const unsigned a = 1099087573 * low;
  const unsigned b = 2591861531 * high;
  *state = {6615241 + b + a,
            {123456789 + a, 362436069 ^ a, 521288629 + b, 88675123 ^ b, 5783321 + a},
            0,
            0,
            0,
            0,
            0};
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}

inline void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
  const unsigned used = state->STATE + static_cast<unsigned>(n & 3);
  state->STATE = used & 3;
  cucpu::advance(state, (n >> 2) + (used >> 2));
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
  uint4 counter = state->ctr;
  cucpu::add_to(counter.z, counter.w, n);
  state->ctr = counter;
  cucpu::advance(state, 0);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence,
                        unsigned long long offset, curandStatePhilox4_32_10* state) {
  *state = {};
  state->key = {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}

// --- Bits ---

inline unsigned curand(curandStateXORWOW* state) {
  const unsigned first = state->v[0] ^ state->v[0] >> 2;
  const unsigned last = state->v[4];
  for (int i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
  state->v[4] = (last ^ last << 4) ^ (first ^ first << 1);
  state->d += cucpu::kXorwowWeyl;
  return state->v[4] + state->d;
}
inline unsigned curand(curandStatePhilox4_32_10* state) {
  const unsigned bits = cucpu::word(state->output, state->STATE);
  if (++state->STATE == 4) {
    state->STATE = 0;
    cucpu::advance(state, 1);
  }
  return bits;
}
inline uint4 curand4(curandStatePhilox4_32_10* state) {
  const uint4 now = state->output;
  cucpu::advance(state, 1);
  const uint4 next = state->output;
  const unsigned used = state->STATE;
  const auto at = [&](unsigned i) {
    return i + used < 4 ? cucpu::word(now, i + used) : cucpu::word(next, i + used - 4);
  };
  return {at(0), at(1), at(2), at(3)};
}

// --- Numbers ---

template <cucpu::RandomState State>
float curand_uniform(State* state) {
  return cucpu::uniform(curand(state));
}
inline double curand_uniform_double(curandStateXORWOW* state) {
  const unsigned low = curand(state);
  return cucpu::uniform(low, curand(state));
}
// Made of 32 bits only, as in cuRAND.
inline double curand_uniform_double(curandStatePhilox4_32_10* state) {
  return (static_cast<double>(curand(state)) + 1) * 0x1p-32;
}
inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  return {cucpu::uniform(bits.x), cucpu::uniform(bits.y), cucpu::uniform(bits.z),
          cucpu::uniform(bits.w)};
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  return {cucpu::uniform(bits.x, bits.y), cucpu::uniform(bits.z, bits.w)};
}

template <cucpu::RandomState State>
float2 curand_normal2(State* state) {
  const unsigned x = curand(state);
  return cucpu::normal_pair(x, curand(state));
}
template <cucpu::RandomState State>
float curand_normal(State* state) {
  const bool is_kept = state->boxmuller_flag == 1;
  state->boxmuller_flag = is_kept ? 0 : 1;
  if (is_kept) return state->boxmuller_extra;
  const float2 pair = curand_normal2(state);
  state->boxmuller_extra = pair.y;
  return pair.x;
}
inline float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  const float2 first = cucpu::normal_pair(bits.x, bits.y);
  const float2 second = cucpu::normal_pair(bits.z, bits.w);
  return {first.x, first.y, second.x, second.y};
}
inline double2 curand_normal2_double(curandStateXORWOW* state) {
  unsigned bits[4];
  for (unsigned& b : bits) b = curand(state);
  return cucpu::normal_pair(bits[0], bits[1], bits[2], bits[3]);
}
inline double2 curand_normal2_double(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  return cucpu::normal_pair(bits.x, bits.y, bits.z, bits.w);
}
template <cucpu::RandomState State>
double curand_normal_double(State* state) {
  const bool is_kept = state->boxmuller_flag_double == 1;
  state->boxmuller_flag_double = is_kept ? 0 : 1;
  if (is_kept) return state->boxmuller_extra_double;
  const double2 pair = curand_normal2_double(state);
  state->boxmuller_extra_double = pair.y;
  return pair.x;
}

// --- Numbers whose logarithms are of the normal distribution ---

template <cucpu::RandomState State>
float curand_log_normal(State* state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <cucpu::RandomState State>
float2 curand_log_normal2(State* state, float mean, float deviation) {
  const float2 normal = curand_normal2(state);
  return {expf(mean + deviation * normal.x), expf(mean + deviation * normal.y)};
}
inline float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float deviation) {
  const float4 normal = curand_normal4(state);
  return {expf(mean + deviation * normal.x), expf(mean + deviation * normal.y),
          expf(mean + deviation * normal.z), expf(mean + deviation * normal.w)};
}
template <cucpu::RandomState State>
double curand_log_normal_double(State* state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
template <cucpu::RandomState State>
double2 curand_log_normal2_double(State* state, double mean, double deviation) {
  const double2 normal = curand_normal2_double(state);
  return {exp(mean + deviation * normal.x), exp(mean + deviation * normal.y)};
}
