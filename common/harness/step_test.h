#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "harness/faults.h"
#include "harness/variant.h"

namespace harness {

/// Checks every variant at every size that the tile sizes lead to; see `find_faults`.
/// `tiles` are the elements of a block's tile: {n}, {cols}, {side} or {m, n, k}.
template <class Problem>
void check_all_sizes(std::initializer_list<int> tiles,
                     std::initializer_list<Variant<Problem>> variants) {
  const Findings findings =
      find_faults(Problem::problem(), std::vector<int>(tiles), erase_types<Problem>(variants));
  CHECK(findings.launches > 0);
  CHECK(findings.elements > 0);
  for (const std::string& fault : findings.faults) FAIL_CHECK(fault);
}

}  // namespace harness
