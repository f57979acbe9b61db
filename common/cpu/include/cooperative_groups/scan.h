// inclusive_scan and exclusive_scan for groups inside a warp.
#pragma once

#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

// The values of ranks 0 to the caller's, combined in this order.
template <class Group, class T, class Op = plus<T>>
T inclusive_scan(const Group& group, const T& value, Op op = {},
                 cucpu::Site site = cucpu::Site::current()) {
  const auto all =
      cucpu::gather_lanes(group.lane_mask(), value, "cooperative_groups::inclusive_scan", site);
  T result = all.value[0];
  for (unsigned rank = 1; rank <= group.thread_rank(); ++rank) {
    result = op(result, all.value[rank]);
  }
  return result;
}

// Those of the ranks before the caller's; T{} for rank 0.
template <class Group, class T, class Op = plus<T>>
T exclusive_scan(const Group& group, const T& value, Op op = {},
                 cucpu::Site site = cucpu::Site::current()) {
  const auto all =
      cucpu::gather_lanes(group.lane_mask(), value, "cooperative_groups::exclusive_scan", site);
  if (group.thread_rank() == 0) return T{};
  T result = all.value[0];
  for (unsigned rank = 1; rank < group.thread_rank(); ++rank) {
    result = op(result, all.value[rank]);
  }
  return result;
}

}  // namespace cooperative_groups
