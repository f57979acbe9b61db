#include "bench/map_shapes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "problem/sgemm.h"
#include "problem/sum.h"
#include "problem/transpose.h"

using bench::draw_shapes;
using bench::MapLimits;

constexpr MapLimits kLimits = {.bytes = 1 << 30, .flops = 1e12};

TEST_CASE("a map's shapes are within the limits, and as many as were asked for") {
  for (const problem::Problem* problem :
       {&problem::Sgemm::problem(), &problem::Sum::problem(), &problem::Transpose::problem()}) {
    const auto shapes = draw_shapes(*problem, 1, 200, kLimits);
    REQUIRE(shapes.size() == 200);
    for (const problem::Shape& shape : shapes) {
      CHECK(*std::min_element(shape.begin(), shape.end()) >= 1);
      CHECK(problem->bytes(shape) <= kLimits.bytes);
      CHECK(problem->flops(shape) <= kLimits.flops);
    }
  }
}

TEST_CASE("a seed always gives the same shapes, another one others, and fewer are the first ones") {
  const problem::Problem& problem = problem::Transpose::problem();
  const auto shapes = draw_shapes(problem, 7, 50, kLimits);
  CHECK(shapes == draw_shapes(problem, 7, 50, kLimits));
  CHECK(shapes != draw_shapes(problem, 8, 50, kLimits));
  const auto fewer = draw_shapes(problem, 7, 20, kLimits);
  CHECK(std::equal(fewer.begin(), fewer.end(), shapes.begin()));
}

TEST_CASE("sizes are log-uniform: as many below the square root of the limit as above") {
  constexpr std::size_t kMany = 4000;
  const auto shapes = draw_shapes(problem::Sum::problem(), 1, kMany, kLimits);
  const double most = kLimits.bytes / sizeof(float);
  for (const double part : {0.25, 0.5, 0.75}) {
    const auto below = std::count_if(shapes.begin(), shapes.end(), [&](const auto& shape) {
      return static_cast<double>(shape[0]) < std::pow(most, part);
    });
    CHECK(std::abs(static_cast<double>(below) / kMany - part) < 0.03);
  }
}
