// reduce(group, value, op) for groups inside a warp, and tiles of several. All threads get the same bits: values are
// combined in pairs of neighboring ranks, then in pairs of pairs, and so on.
#pragma once

#include "cooperative_groups.h"

namespace cucpu {

// Combines an atomic object with a value. Returns its old value.
template <class Atomic, class T, class Op>
T update_atomic(Atomic& atomic, const T& value, Op op) {
  T before = atomic.load();
  while (!atomic.compare_exchange_weak(before, op(before, value))) {
  }
  return before;
}

}  // namespace cucpu

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

template <class Group, class T, class Op>
T reduce(const Group& group, const T& value, Op op, cucpu::Site site = cucpu::Site::current()) {
  auto all = cucpu::gather_lanes(group.lane_mask(), value, "cooperative_groups::reduce", site);
  for (unsigned stride = 1; stride < all.count; stride *= 2) {
    for (unsigned i = 0; i + stride < all.count; i += 2 * stride) {
      all.value[i] = op(all.value[i], all.value[i + stride]);
    }
  }
  return all.value[0];
}

// For several warps: reduces each warp, then combines their values in order.
template <unsigned Size, class Parent, class T, class Op>
  requires(Size > 32)
T reduce(const thread_block_tile<Size, Parent>& tile, const T& value, Op op,
         cucpu::Site site = cucpu::Site::current()) {
  return tile.combined(reduce(tile.warp(), value, op, site), op, site);
}

// One thread stores the result, or combines it with an atomic object (cuda::atomic or
// cuda::atomic_ref).
template <class Group, class T, class Op>
void reduce_store_async(const Group& group, T* to, const T& value, Op op,
                        cucpu::Site site = cucpu::Site::current()) {
  const T result = reduce(group, value, op, site);
  if (group.thread_rank() == 0) *to = result;
}
template <class Group, class Atomic, class T, class Op>
void reduce_update_async(const Group& group, Atomic& atomic, const T& value, Op op,
                         cucpu::Site site = cucpu::Site::current()) {
  const T result = reduce(group, value, op, site);
  if (group.thread_rank() == 0) cucpu::update_atomic(atomic, result, op);
}

}  // namespace cooperative_groups
