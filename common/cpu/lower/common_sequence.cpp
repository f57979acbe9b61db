#include "common_sequence.h"

#include <algorithm>

namespace cucpu::lower {
namespace {

// The farthest x on each diagonal x - y = k, for k from -changes - 1 to changes + 1.
class Frontier {
 public:
  explicit Frontier(long changes) : middle_(changes + 1), x_(2 * middle_ + 1, 0) {}
  long& operator[](long k) { return x_[static_cast<std::size_t>(middle_ + k)]; }
  long operator[](long k) const { return x_[static_cast<std::size_t>(middle_ + k)]; }

 private:
  long middle_;
  std::vector<long> x_;
};

// Whether the best way onto diagonal k is an element of b left out, rather than one of a.
bool comes_from_above(const Frontier& before, long k, long changes) {
  return k == -changes || (k != changes && before[k - 1] < before[k + 1]);
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> common_sequence(
    const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  const long n = static_cast<long>(a.size());
  const long m = static_cast<long>(b.size());
  const auto equal = [&](long x, long y) {
    return a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)];
  };
  std::vector<Frontier> frontiers = {Frontier(0)};  // [d]: before d changes are made
  for (bool there = false; !there;) {
    const long changes = static_cast<long>(frontiers.size()) - 1;
    const Frontier& before = frontiers.back();
    Frontier after(changes + 1);
    for (long k = -changes; k <= changes && !there; k += 2) {
      long x = comes_from_above(before, k, changes) ? before[k + 1] : before[k - 1] + 1;
      if (changes == 0) x = 0;
      while (x < n && x - k < m && equal(x, x - k)) ++x;
      after[k] = x;
      there = x >= n && x - k >= m;
    }
    frontiers.push_back(after);
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  long x = n;
  long y = m;
  for (long changes = static_cast<long>(frontiers.size()) - 2; x > 0 || y > 0; --changes) {
    const Frontier& before = frontiers[static_cast<std::size_t>(changes)];
    const long k = x - y;
    const bool above = comes_from_above(before, k, changes);
    const long start = changes == 0 ? 0 : above ? before[k + 1] : before[k - 1] + 1;
    while (x > start && y > 0) {
      --x, --y;
      pairs.emplace_back(x, y);
    }
    if (changes > 0) (above ? y : x) -= 1;
  }
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace cucpu::lower
