// Which outputs pass, and which must not.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "problem/verdict.h"

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

problem::Verdict compare_one(float got, double expected, double bound, bool exact = false) {
  return problem::compare(0, {&got, 1}, {&expected, 1}, {&bound, 1}, exact);
}

}  // namespace

TEST_CASE("an element passes up to its bound and no further") {
  CHECK(compare_one(1.0f, 1.0, 0.0).pass());
  CHECK(compare_one(1.5f, 1.0, 0.5).pass());
  CHECK_FALSE(compare_one(1.5f, 1.0, 0.49).pass());
  CHECK_FALSE(compare_one(0.5f, 1.0, 0.49).pass());
}

TEST_CASE("NaN does not pass for a number, nor a number for NaN") {
  for (const bool exact : {false, true}) {
    CHECK_FALSE(compare_one(kNan, 1.0, 1e300, exact).pass());
    CHECK_FALSE(compare_one(1.0f, kNan, 1e300, exact).pass());
    CHECK_FALSE(compare_one(kInf, kNan, 1e300, exact).pass());
    CHECK(compare_one(kNan, kNan, 0.0, exact).pass());
    CHECK(compare_one(-kNan, kNan, 0.0, exact).pass());
  }
  CHECK_FALSE(compare_one(1.0f, 1.0, kNan).pass());
}

TEST_CASE("the NaN of an output that was not written passes for nothing") {
  const auto poison = std::bit_cast<float>(0xFFFFFFFFu);
  CHECK_FALSE(compare_one(poison, kNan, 1e300).pass());
  CHECK_FALSE(compare_one(poison, kNan, 0.0, true).pass());
  CHECK(compare_one(poison, kNan, 0.0).describe() ==
        "element 0 is NaN (not written?), expected NaN; 1 of 1 wrong");
}

TEST_CASE("an infinity passes only where the right answer rounds to the same one") {
  CHECK_FALSE(compare_one(kInf, 1.0, 1e300).pass());
  CHECK_FALSE(compare_one(-kInf, 1e300, 1e300).pass());
  CHECK_FALSE(compare_one(1.0f, 1e300, 1e308).pass());
  CHECK(compare_one(kInf, 1e300, 0.0).pass());
  CHECK(compare_one(-kInf, -std::numeric_limits<double>::infinity(), 0.0).pass());
}

TEST_CASE("exact compares bits") {
  constexpr double kWide = 100;
  CHECK(compare_one(3.0f, 3.0, kWide, true).pass());
  CHECK_FALSE(compare_one(4.0f, 3.0, kWide, true).pass());
  CHECK_FALSE(compare_one(-0.0f, 0.0, kWide, true).pass());
  CHECK_FALSE(compare_one(std::nextafterf(3.0f, 4.0f), 3.0, kWide, true).pass());
}

TEST_CASE("a verdict counts, and keeps the first wrong element and the worst one") {
  const std::vector<float> got = {1, 2.5f, 3, 9};
  const std::vector<double> expected = {1, 2, 3, 4}, bound = {1, 0.1, 1, 2};
  const problem::Verdict verdict = problem::compare(10, got, expected, bound, false);
  CHECK(verdict.elements == 4);
  CHECK(verdict.wrong == 2);
  CHECK(verdict.first_wrong == 11);
  CHECK(verdict.max_error == 0.5);  // five times its bound
  CHECK(verdict.error_bound == 0.1);
  CHECK(verdict.describe() == "element 11 is 2.5, expected 2 +- 0.1; 2 of 4 wrong");
}

TEST_CASE("verdicts on parts add up to the verdict on the whole") {
  const std::vector<float> got = {1, 2.5f, 3, 9};
  const std::vector<double> expected = {1, 2, 3, 4}, bound = {1, 0.1, 1, 2};
  const problem::Verdict whole = problem::compare(0, got, expected, bound, false);
  for (std::size_t cut = 0; cut <= got.size(); ++cut) {
    problem::Verdict sum;
    for (const auto& [begin, end] : {std::pair{std::size_t{0}, cut}, std::pair{cut, got.size()}}) {
      const std::size_t count = end - begin;
      sum.merge(problem::compare(begin, {got.data() + begin, count},
                                 {expected.data() + begin, count}, {bound.data() + begin, count},
                                 false));
    }
    CHECK(sum.describe() == whole.describe());
    CHECK(sum.elements == whole.elements);
    CHECK(sum.max_error == whole.max_error);
    CHECK(sum.error_bound == whole.error_bound);
  }
}
