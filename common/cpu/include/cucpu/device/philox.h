// Philox 4x32 with 10 rounds: a random function of a counter and a key. J. Salmon, M. Moraes, R.
// Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
#pragma once

#include <cstdint>

#include "vector_types.h"

namespace cucpu {

inline uint4 philox(uint4 counter, uint2 key) {
  constexpr std::uint64_t kMultiplierX = 0xD2511F53;
  constexpr std::uint64_t kMultiplierZ = 0xCD9E8D57;
  constexpr unsigned kWeylX = 0x9E3779B9;  // the golden ratio
  constexpr unsigned kWeylY = 0xBB67AE85;  // the square root of 3, less 1
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t x = kMultiplierX * counter.x;
    const std::uint64_t z = kMultiplierZ * counter.z;
    const auto high = [](std::uint64_t product) { return static_cast<unsigned>(product >> 32); };
    counter = {high(z) ^ counter.y ^ key.x, static_cast<unsigned>(z), high(x) ^ counter.w ^ key.y,
               static_cast<unsigned>(x)};
    key = {key.x + kWeylX, key.y + kWeylY};
  }
  return counter;
}

}  // namespace cucpu
