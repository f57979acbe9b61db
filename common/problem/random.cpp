#include "problem/random.h"

namespace problem {

void fill_random(const InputOptions& options, std::size_t input, std::size_t first,
                 std::span<float> values) {
  const auto fill = [&](auto element) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = element(first + i);
  };
  const std::uint64_t seed = options.seed;
  if (options.values == Values::exact) {
    fill([&](std::size_t i) { return random_integer(seed, input, i); });
  } else {
    fill([&](std::size_t i) { return random_unit(seed, input, i); });
  }
}

}  // namespace problem
