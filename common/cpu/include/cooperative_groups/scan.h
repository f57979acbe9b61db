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

// The scan of this group, continued from an atomic object, which becomes the sum of all.
template <class Group, class Atomic, class T, class Op = plus<T>>
T inclusive_scan_update(const Group& group, Atomic& atomic, const T& value, Op op = {},
                        cucpu::Site site = cucpu::Site::current()) {
  const unsigned last = group.num_threads() - 1;
  const T own = inclusive_scan(group, value, op, site);
  T before{};
  if (group.thread_rank() == last) before = cucpu::update_atomic(atomic, own, op);
  return op(group.shfl(before, static_cast<int>(last)), own);
}
template <class Group, class Atomic, class T, class Op = plus<T>>
T exclusive_scan_update(const Group& group, Atomic& atomic, const T& value, Op op = {},
                        cucpu::Site site = cucpu::Site::current()) {
  const unsigned last = group.num_threads() - 1;
  const T all = reduce(group, value, op, site);
  const T own = exclusive_scan(group, value, op, site);
  T before{};
  if (group.thread_rank() == last) before = cucpu::update_atomic(atomic, all, op);
  before = group.shfl(before, static_cast<int>(last));
  return group.thread_rank() == 0 ? before : op(before, own);
}

}  // namespace cooperative_groups
