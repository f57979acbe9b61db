// Jumps of XORWOW. A step is linear over the bits of the state; so is any number of them, and twice
// as many are the square of the matrix.
#include "cucpu/device/xorwow.h"

#include <array>
#include <bit>
#include <memory>

namespace cucpu {
namespace {

constexpr int kBits = 160;
using Matrix = std::array<Xorwow, kBits>;  // what becomes of each bit of a state

Xorwow step(const Xorwow& s) {
  const unsigned first = s.word[0] ^ s.word[0] >> 2;
  const unsigned last = s.word[4];
  return {s.word[1], s.word[2], s.word[3], last, (last ^ last << 4) ^ (first ^ first << 1)};
}

Xorwow product(const Matrix& matrix, const Xorwow& s) {
  Xorwow sum{};
  for (int i = 0; i < 5; ++i)
    for (unsigned rest = s.word[i]; rest != 0; rest &= rest - 1) {
      const Xorwow& column = matrix[static_cast<std::size_t>(32 * i + std::countr_zero(rest))];
      for (int j = 0; j < 5; ++j) sum.word[j] ^= column.word[j];
    }
  return sum;
}

// Two to the power of [i] steps.
constexpr int kPowers = 67 + 64;
using Powers = std::array<Matrix, kPowers>;

std::unique_ptr<Powers> make_powers() {
  auto powers = std::make_unique<Powers>();
  for (int bit = 0; bit < kBits; ++bit) {
    Xorwow one{};
    one.word[bit / 32] = 1u << bit % 32;
    (*powers)[0][static_cast<std::size_t>(bit)] = step(one);
  }
  for (std::size_t i = 1; i < powers->size(); ++i)
    for (std::size_t bit = 0; bit < kBits; ++bit)
      (*powers)[i][bit] = product((*powers)[i - 1], (*powers)[i - 1][bit]);
  return powers;
}

}  // namespace

Xorwow xorwow_jump(Xorwow state, unsigned long long steps, int log2_scale) {
  static const std::unique_ptr<Powers> powers = make_powers();
  for (auto i = static_cast<std::size_t>(log2_scale); steps != 0; steps >>= 1, ++i)
    if ((steps & 1) != 0) state = product((*powers)[i], state);
  return state;
}

}  // namespace cucpu
