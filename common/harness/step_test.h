#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "harness/faults.h"
#include "harness/variant.h"

namespace harness {

/// Checks every variant at every size that the tile sizes lead to; see `find_faults`. How much else
/// is tried depends on TUTORIAL_EXTENT.
/// `tile` are the elements of a block's tile: {n}, {cols}, {side}, {m, k} or {m, n, k}.
template <class Problem>
void check_all_sizes(const std::vector<int>& tile, const std::vector<Variant<Problem>>& variants) {
  const Findings findings =
      find_faults(Problem::problem(), tile, erase_types<Problem>(variants), extent_of_tests());
  CHECK(findings.launches > 0);
  CHECK(findings.elements > 0);
  for (const std::string& fault : findings.faults) FAIL_CHECK(fault);
}

/// The same for all kernels of a step, those of equal tiles together.
template <class Problem>
void check_all_sizes(const Step<Problem>& step) {
  std::map<std::vector<int>, std::vector<Variant<Problem>>> by_tile;
  for (const Variant<Problem>& variant : step.variants) {
    std::vector<int> tile;
    std::copy_if(variant.tile.begin(), variant.tile.end(), std::back_inserter(tile),
                 [](int side) { return side > 0; });
    by_tile[tile].push_back(variant);
  }
  for (const auto& [tile, variants] : by_tile) check_all_sizes<Problem>(tile, variants);
}

}  // namespace harness
