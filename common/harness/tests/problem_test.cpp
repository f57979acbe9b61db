// The problems: inputs, references against small cases worked out by hand, costs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "problem/add.h"
#include "problem/arithmetic.h"
#include "problem/data.h"
#include "problem/parallel.h"
#include "problem/random.h"
#include "problem/sgemm.h"
#include "problem/sgemm_reference.h"
#include "problem/softmax.h"
#include "problem/sum.h"
#include "problem/transpose.h"

namespace {

using problem::Shape;
using Arrays = std::vector<std::vector<float>>;

struct Expected {
  std::vector<double> value, bound;
};

std::vector<std::span<const float>> spans(const Arrays& arrays) {
  return {arrays.begin(), arrays.end()};
}

Expected ask(const problem::Reference& reference, std::size_t first, std::size_t count) {
  Expected expected{std::vector<double>(count, -1), std::vector<double>(count, -1)};
  reference.expect(first, expected.value, expected.bound);
  return expected;
}

Expected expect(const problem::Problem& problem, const Shape& shape, const Arrays& arrays) {
  const auto inputs = spans(arrays);
  return ask(*problem.reference(shape, inputs), 0, problem.output_count(shape));
}

const std::vector<const problem::Problem*> kAll = {
    &problem::Add::problem(), &problem::Sum::problem(), &problem::Softmax::problem(),
    &problem::Transpose::problem(), &problem::Sgemm::problem()};

Shape small_shape(const problem::Problem& problem) {
  const Shape primes = {13, 29, 7};
  return Shape(primes.begin(), primes.begin() + static_cast<long>(problem.sizes().size()));
}

}  // namespace

TEST_CASE("parallel_for covers every item once, and passes on what a piece throws") {
  for (const std::size_t count : {0, 1, 2, 3, 1000}) {
    for (const std::size_t grain : {0, 1, 7, 100000}) {
      std::vector<int> visits(count, 0);
      problem::parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      CHECK(visits == std::vector<int>(count, 1));
    }
  }
  CHECK_THROWS_AS(problem::parallel_for(
                      1000, 1, [](std::size_t, std::size_t) { throw std::runtime_error("no"); }),
                  std::runtime_error);
}

TEST_CASE("random values fill their range and depend on seed, array and index") {
  std::set<float> seen;
  double sum = 0;
  constexpr int kCount = 10000;
  for (int i = 0; i < kCount; ++i) {
    const float value = problem::random_unit(1, 0, i);
    CHECK(value >= -1);
    CHECK(value < 1);
    sum += value;
    seen.insert(value);
  }
  CHECK(seen.size() > kCount - 20);
  CHECK(std::abs(sum / kCount) < 0.03);
  CHECK(problem::random_unit(1, 0, 5) != problem::random_unit(2, 0, 5));
  CHECK(problem::random_unit(1, 0, 5) != problem::random_unit(1, 1, 5));

  std::set<float> integers;
  for (int i = 0; i < 1000; ++i) integers.insert(problem::random_integer(1, 0, i));
  CHECK(integers == std::set<float>{-4, -3, -2, -1, 1, 2, 3, 4});
}

TEST_CASE("inputs are the same however they are cut into pieces") {
  for (const problem::Problem* problem : kAll) {
    const Shape shape = small_shape(*problem);
    for (const problem::Values values :
         {problem::Values::random, problem::Values::exact, problem::Values::special}) {
      const problem::InputOptions options{.seed = 3, .values = values};
      const std::size_t count = problem->input_counts(shape)[0];
      std::vector<float> whole(count), pieces(count);
      problem->fill(shape, options, 0, 0, whole);
      for (std::size_t i = 0; i < count; i += 5) {
        const std::size_t length = std::min<std::size_t>(5, count - i);
        problem->fill(shape, options, 0, i, {pieces.data() + i, length});
      }
      CHECK(std::memcmp(whole.data(), pieces.data(), count * sizeof(float)) == 0);
      CHECK(std::any_of(whole.begin(), whole.end(), [&](float x) { return x != whole[0]; }));
    }
  }
}

TEST_CASE("references are the same however they are asked") {
  for (const problem::Problem* problem : kAll) {
    const Shape shape = small_shape(*problem);
    const problem::Inputs inputs(*problem, shape, {});
    const std::size_t count = problem->output_count(shape);
    const Expected whole = ask(inputs.reference(), 0, count);
    for (std::size_t first = 0; first < count; first += 5) {
      const std::size_t length = std::min<std::size_t>(5, count - first);
      const Expected piece = ask(inputs.reference(), first, length);
      for (std::size_t i = 0; i < length; ++i) {
        CHECK(piece.value[i] == whole.value[first + i]);
        CHECK(piece.bound[i] == whole.bound[first + i]);
      }
    }
  }
}

TEST_CASE("inputs expect what their reference says, whatever piece was asked for before") {
  for (const problem::Problem* problem : kAll) {
    const Shape shape = small_shape(*problem);
    const problem::Inputs inputs(*problem, shape, {}), others(*problem, shape, {.seed = 2});
    const std::size_t count = problem->output_count(shape), half = count / 2;
    for (const auto& [first, length] : {std::pair{std::size_t{0}, count}, std::pair{half, half},
                                        std::pair{half, half}, std::pair{std::size_t{0}, half}}) {
      if (length == 0) continue;  // a sum has one element
      for (const problem::Inputs* each : {&inputs, &others}) {
        const Expected right = ask(each->reference(), first, length);
        const auto [value, bound] = each->expect(first, length);
        CHECK(std::equal(value.begin(), value.end(), right.value.begin(), right.value.end()));
        CHECK(std::equal(bound.begin(), bound.end(), right.bound.begin(), right.bound.end()));
      }
    }
  }
}

TEST_CASE("add") {
  const Expected expected = expect(problem::Add::problem(), {2}, {{1, 2}, {10, -2}});
  CHECK(expected.value == std::vector<double>{11, 0});
  CHECK(expected.bound[1] == 0.5 * problem::kEps * 4);
}

TEST_CASE("sum") {
  const Expected expected = expect(problem::Sum::problem(), {3}, {{1, 2, -4}});
  CHECK(expected.value == std::vector<double>{-1});
  CHECK(expected.bound == std::vector<double>{problem::kSumFactor * problem::kEps * 7});
  CHECK(expect(problem::Sum::problem(), {0}, {{}}).value == std::vector<double>{0});
}

TEST_CASE("transpose") {
  const Expected expected = expect(problem::Transpose::problem(), {2, 3}, {{1, 2, 3, 4, 5, 6}});
  CHECK(expected.value == std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK(expected.bound == std::vector<double>(6, 0));
}

TEST_CASE("softmax") {
  const float log3 = std::log(3.0f);
  const Expected expected = expect(problem::Softmax::problem(), {2, 2}, {{0, log3, 1000, 1000}});
  const std::vector<double> right = {0.25, 0.75, 0.5, 0.5};
  for (std::size_t i = 0; i < right.size(); ++i) {
    CHECK(expected.value[i] == doctest::Approx(right[i]));
    CHECK(expected.bound[i] > 0);
    CHECK(expected.bound[i] < 100 * problem::kEps * right[i]);
  }
}

TEST_CASE("softmax of rows with infinities, and of rows that have none") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto softmax = [](float a, float b) {
    const Expected expected = expect(problem::Softmax::problem(), {1, 2}, {{a, b}});
    for (const double bound : expected.bound) CHECK(bound < 1e-5);
    return expected.value;
  };
  const std::vector<double> left = {1, 0}, equal = {0.5, 0.5};
  CHECK(softmax(3, -kInf) == left);
  CHECK(softmax(3e38f, -3e38f) == left);
  CHECK(softmax(-3e38f, -3e38f) == equal);
  CHECK(softmax(-0.0f, 0.0f) == equal);
  const std::vector<std::pair<float, float>> rows = {
      {-kInf, -kInf}, {kInf, 0}, {kInf, -kInf}, {kNan, 0}, {0, kNan}};
  for (const auto& [a, b] : rows) {
    for (const double value : softmax(a, b)) CHECK(std::isnan(value));
  }
}

TEST_CASE("special inputs of softmax have each kind of row in any nine that follow one another") {
  constexpr std::size_t kRows = 9, kCols = 33;
  const problem::Inputs inputs(problem::Softmax::problem(), {kRows, kCols},
                               {.values = problem::Values::special});
  const Expected expected = ask(inputs.reference(), 0, kRows * kCols);
  int without = 0, equal = 0, single = 0, with_zeros = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto begin = expected.value.begin() + static_cast<long>(row * kCols);
    const auto end = begin + kCols;
    if (std::isnan(*begin)) {
      ++without;
      CHECK(std::all_of(begin, end, [](double y) { return std::isnan(y); }));
      continue;
    }
    CHECK(std::accumulate(begin, end, 0.0) == doctest::Approx(1));
    if (*std::min_element(begin, end) > 0) ++equal;
    if (*std::max_element(begin, end) == 1) ++single;
    if (*std::min_element(begin, end) == 0) ++with_zeros;
  }
  CHECK(without == 3);     // nothing but -infinity, +infinity, NaN
  CHECK(equal == 3);       // a number, the lowest number, zeros of both signs
  CHECK(single == 1);      // all others -infinity
  CHECK(with_zeros == 3);  // that one, -infinity here and there, huge differences
}

TEST_CASE("softmax with exact inputs has a power of two of equal probabilities in each row") {
  constexpr std::size_t kRows = 50;
  std::set<std::size_t> counts;
  for (const std::size_t cols : {1, 2, 3, 31, 100, 1025}) {
    const problem::Inputs inputs(problem::Softmax::problem(), {kRows, cols},
                                 {.values = problem::Values::exact});
    const Expected expected = ask(inputs.reference(), 0, kRows * cols);
    for (std::size_t row = 0; row < kRows; ++row) {
      std::size_t maxima = 0;
      for (std::size_t col = 0; col < cols; ++col) {
        const auto y = static_cast<float>(expected.value[row * cols + col]);
        if (y == 0) continue;
        ++maxima;
        CHECK(std::exp2(std::round(std::log2(y))) == y);
      }
      CHECK((maxima & (maxima - 1)) == 0);
      CHECK(maxima > 0);
      counts.insert(maxima);
    }
  }
  CHECK(counts.size() > 5);
}

TEST_CASE("sgemm, row-major and not square") {
  // (2, 3) times (3, 1)
  const Expected expected =
      expect(problem::Sgemm::problem(), {2, 1, 3}, {{1, 2, 3, 4, 5, 6}, {1, -10, 100}});
  CHECK(expected.value == std::vector<double>{281, 554});
  CHECK(expected.bound[0] == problem::kSumFactor * problem::kEps * 321);
  CHECK(expect(problem::Sgemm::problem(), {2, 2, 0}, {{}, {}}).value == std::vector<double>(4, 0));
}

TEST_CASE("sgemm's reference on the device gives what the one on the host gives") {
  const problem::Problem& sgemm = problem::Sgemm::problem();
  for (const Shape& shape :
       {Shape{1, 1, 1}, Shape{67, 131, 29}, Shape{3, 5, 0}, Shape{300, 2, 9}}) {
    const problem::Inputs inputs(sgemm, shape, {});
    const auto host = problem::sgemm_host_reference(shape, inputs.arrays());
    const auto device = problem::sgemm_device_reference(shape, inputs.arrays());
    const std::size_t count = sgemm.output_count(shape), first = count / 3;
    const Expected on_host = ask(*host, first, count - first);
    const Expected on_device = ask(*device, first, count - first);
    for (std::size_t i = 0; i < count - first; ++i) {
      // Both in fp64, perhaps with other contractions to fused multiply-adds.
      CHECK(std::abs(on_host.value[i] - on_device.value[i]) <= 1e-7 * on_host.bound[i]);
      CHECK(on_host.bound[i] == doctest::Approx(on_device.bound[i]).epsilon(1e-12));
    }
  }
}

TEST_CASE("bytes and operations") {
  CHECK(problem::Add::problem().bytes({10}) == 120);
  CHECK(problem::Sum::problem().bytes({10}) == 44);
  CHECK(problem::Transpose::problem().bytes({10, 3}) == 240);
  CHECK(problem::Softmax::problem().bytes({10, 3}) == 240);
  CHECK(problem::Sgemm::problem().bytes({2, 3, 5}) == 4 * (10 + 15 + 6));
  CHECK(problem::Sgemm::problem().flops({2, 3, 5}) == 60);
  CHECK(problem::Transpose::problem().flops({10, 3}) == 0);
}

TEST_CASE("sizes beyond all memory do not wrap around") {
  constexpr std::size_t kHuge = std::size_t{1} << 40;
  CHECK(problem::saturating_multiply(kHuge, kHuge) == std::numeric_limits<std::size_t>::max());
  CHECK(problem::saturating_multiply(3, 5) == 15);
  CHECK(problem::saturating_multiply(kHuge, 0) == 0);
  CHECK(problem::run_bytes(problem::Transpose::problem(), {kHuge, kHuge}).device > 1e18);
  CHECK(problem::run_bytes(problem::Add::problem(), {kHuge}).host > 8e12);
}

TEST_CASE("test shapes have what a kernel may trip over, and need tile sizes that make sense") {
  const auto has = [](const std::vector<Shape>& shapes, const Shape& shape) {
    return std::find(shapes.begin(), shapes.end(), shape) != shapes.end();
  };
  const std::vector<int> tile = {64};
  const std::vector<Shape> vectors = problem::Add::problem().test_shapes(tile);
  for (const std::size_t n : {0, 1, 63, 64, 65, 97, 1009}) CHECK(has(vectors, {n}));

  const std::vector<int> tiles = {64, 32, 8};
  const std::vector<Shape> products = problem::Sgemm::problem().test_shapes(tiles);
  for (const Shape& shape : {Shape{0, 32, 8}, Shape{64, 0, 8}, Shape{64, 32, 0}, Shape{1, 1, 1},
                             Shape{64, 32, 8}, Shape{63, 33, 8}, Shape{67, 131, 29}}) {
    CHECK(has(products, shape));
  }
  CHECK_THROWS_AS(problem::Sgemm::problem().test_shapes(tile), std::invalid_argument);
  CHECK_THROWS_AS(problem::Add::problem().test_shapes(tiles), std::invalid_argument);
  CHECK_THROWS_AS(problem::Add::problem().test_shapes(std::vector<int>{0}), std::invalid_argument);
}
