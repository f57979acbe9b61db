#include "problem/test_shapes.h"

#include <fmt/core.h>
#include <set>
#include <stdexcept>
#include <string>

namespace problem {

std::vector<std::size_t> tile_sizes(std::span<const int> tiles, std::size_t count) {
  std::vector<std::size_t> sizes;
  for (const int tile : tiles) {
    if (tile < 2) throw std::invalid_argument(fmt::format("a tile of {}", tile));
    sizes.push_back(static_cast<std::size_t>(tile));
  }
  if (sizes.size() != count) {
    throw std::invalid_argument(
        fmt::format("{} tile sizes where there are {}", sizes.size(), count));
  }
  return sizes;
}

std::vector<Shape> vector_shapes(std::span<const int> tiles) {
  const std::size_t tile = tile_sizes(tiles, 1)[0];
  const std::set<std::size_t> sizes = {
      0,    1,        2,    3,        5,        31,           97,           1009,
      4099, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 7 * tile + 3, 16 * tile - 1,
  };
  std::vector<Shape> shapes;
  for (const std::size_t n : sizes) shapes.push_back({n});
  return shapes;
}

}  // namespace problem
