#include "bench/map_shapes.h"

#include <algorithm>
#include <cmath>

#include "problem/random.h"

namespace bench {
namespace {

// A whole number from 1 to `most`, log-uniform.
std::size_t log_uniform(double most, std::uint64_t seed, std::uint64_t index) {
  const double uniform = static_cast<double>(problem::random_bits(seed, 0, index) >> 11) * 0x1p-53;
  return static_cast<std::size_t>(std::exp(uniform * std::log(most + 1)));
}

bool within(const problem::Problem& problem, const problem::Shape& shape, const MapLimits& limits) {
  return problem.bytes(shape) <= limits.bytes &&
         (limits.flops == 0 || problem.flops(shape) <= limits.flops);
}

}  // namespace

std::vector<problem::Shape> draw_shapes(const problem::Problem& problem, std::uint64_t seed,
                                        std::size_t count, const MapLimits& limits) {
  const std::size_t sizes = problem.sizes().size();
  std::vector<problem::Shape> shapes;
  for (std::uint64_t index = 0; shapes.size() < count;) {
    problem::Shape shape;
    for (std::size_t size = 0; size < sizes; ++size) {
      const double most =
          std::min(static_cast<double>(problem.sizes()[size].limit), limits.bytes / sizeof(float));
      shape.push_back(log_uniform(std::max(most, 1.0), seed, index++));
    }
    if (within(problem, shape, limits)) shapes.push_back(shape);
  }
  return shapes;
}

}  // namespace bench
