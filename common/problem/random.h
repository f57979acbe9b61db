#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "problem/problem.h"

namespace problem {

/// 64 random bits that are a pure function of the seed, the stream (which array) and the index:
/// any thread can make any element. The mixing is the finalizer of SplitMix64 (Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014), applied twice.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  };
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;
  return mix(index * kGolden + mix(seed * kGolden + stream + 1));
}

/// Uniform in [-1, 1), with 24 significant bits.
constexpr float random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const auto bits = static_cast<std::int32_t>(random_bits(seed, stream, index) >> 40);
  constexpr float kScale = 1.0f / (1 << 23);
  return static_cast<float>(bits - (1 << 23)) * kScale;
}

/// One of -4, -3, -2, -1, 1, 2, 3, 4. Never zero, so that every element left out or taken twice
/// changes a sum.
constexpr float random_integer(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const auto bits = static_cast<int>(random_bits(seed, stream, index) >> 61);
  return static_cast<float>(bits < 4 ? bits - 4 : bits - 3);
}

/// Fills elements [first, first + values.size()) of input array `input`: with `random_integer` if
/// the inputs are to be exact, else with `random_unit`.
void fill_random(const InputOptions& options, std::size_t input, std::size_t first,
                 std::span<float> values);

}  // namespace problem
