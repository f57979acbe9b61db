// Exercises on bytes and words.
#include "judge/exercises/exercises.h"

namespace judge {
namespace {

constexpr std::size_t kChannels = 4;  // red, green, blue, alpha

std::size_t image_bytes(const Sizes& sizes) { return kChannels * rectangle(sizes); }

// 32-bit FNV-1a of the four bytes of a word, the lowest first: Fowler, Noll and Vo,
// http://www.isthe.com/chongo/tech/comp/fnv.
std::uint32_t fnv1a(std::uint32_t word) {
  constexpr std::uint32_t kOffsetBasis = 2166136261u, kPrime = 16777619u;
  std::uint32_t hash = kOffsetBasis;
  for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (word >> shift & 0xFF)) * kPrime;
  return hash;
}

}  // namespace

Exercise color_inversion() {
  return {
      .name = "color_inversion",
      .title = "255 - x for red, green and blue, in place",
      .arrays = {{"image", Element::u8, Role::in_place, image_bytes}},
      .sizes = {"width", "height"},
      .cases = make_cases(edge_rectangles(), {Values::special}, {{3, 2}, {17, 33}}),
      .large_cpu = {251, 239},
      .large_cuda = {4099, 2053},
      .fill =
          [](Data& data) {
            const bool extremes = data.run.values == Values::special;
            for_each_element<unsigned char>(
                data, 0, [&data, extremes](std::size_t i, unsigned char& byte) {
                  const std::uint32_t word = random_word(data, 0, i);
                  byte = static_cast<unsigned char>(extremes ? 255 * (word & 1) : word);
                });
          },
      .answer = [](const Data& data) -> Answer {
        return [image = data.arrays[0].as<unsigned char>()](std::size_t i) {
          const bool is_alpha = i % kChannels == kChannels - 1;
          const auto value = static_cast<std::uint32_t>(image[i]);
          return Expected::exactly(is_alpha ? value : 255 - value);
        };
      },
      .bench = {16384, 16384},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.1)},
  };
}

Exercise rainbow_table() {
  return {
      .name = "rainbow_table",
      .title = "R rounds of a 32-bit hash of each element",
      .arrays = {{"input", Element::i32, Role::input, length},
                 {"output", Element::u32, Role::output, length}},
      .sizes = {"N", "R"},
      .cases = make_cases({{1, 1},
                           {2, 1},
                           {3, 2},
                           {5, 3},
                           {31, 1},
                           {32, 7},
                           {33, 2},
                           {255, 1},
                           {257, 5},
                           {1000, 3},
                           {1023, 100},
                           {10007, 2}},
                          {Values::special}, {{7, 1}, {257, 3}}),
      .large_cpu = {100003, 10},
      .large_cuda = {16777259, 10},
      .fill =
          [](Data& data) {
            static constexpr std::uint32_t kEdges[] = {0,          0xFFFFFFFF, 0x80000000,
                                                       0x7FFFFFFF, 255,        256};
            const bool edges = data.run.values == Values::special;
            for_each_element<std::uint32_t>(
                data, 0, [&data, edges](std::size_t i, std::uint32_t& word) {
                  word = edges && i % 2 == 0 ? kEdges[i / 2 % std::size(kEdges)]
                                             : random_word(data, 0, i);
                });
          },
      .answer = [](const Data& data) -> Answer {
        return [input = data.arrays[0].as<std::uint32_t>(), rounds = data.size(1)](std::size_t i) {
          std::uint32_t word = input[i];
          for (int round = 0; round < rounds; ++round) word = fnv1a(word);
          return Expected::exactly(word);
        };
      },
      .bench = {1 << 27, 10},
      // Whole-number arithmetic limits it, for which no roof is measured.
      .limit = std::nullopt,
      .goals = {bytes_moved(1.1)},
  };
}

}  // namespace judge
