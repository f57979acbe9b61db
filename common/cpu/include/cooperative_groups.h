// Cooperative groups: the block, its tiles, the lanes that happen to be together, and the grid of
// a cooperative launch.
#pragma once

#include <type_traits>
#include <utility>

#include "cucpu/device/group_exchange.h"
#include "cucpu/device/wide_tile.h"
#include "cucpu/execution.h"
#include "driver_types.h"

namespace cooperative_groups {

// Any group that is not larger than a block. Which one it is shows only when it runs.
class thread_group {
 public:
  unsigned num_threads() const {
    return is_block_ ? blockDim.x * blockDim.y * blockDim.z : __builtin_popcount(lanes_);
  }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return is_block_ ? cucpu::linear_thread() : cucpu::rank_in(lanes_);
  }
  void sync(cucpu::Site site = cucpu::Site::current()) const {
    if (is_block_) {
      cucpu::block_barrier(true, "thread_group::sync", site);
    } else {
      cucpu::warp_exchange(lanes_, 0, "thread_group::sync", site);
    }
  }
  bool is_valid() const { return true; }
  // The lanes of the group, for groups that lie in one warp.
  unsigned lane_mask() const { return lanes_; }

 protected:
  struct WholeBlock {};
  explicit thread_group(WholeBlock) : is_block_(true), lanes_(0) {}
  explicit thread_group(unsigned lanes) : is_block_(false), lanes_(lanes) {}

 private:
  friend thread_group tiled_partition(const thread_group& parent, unsigned tile_size);

  bool is_block_;
  unsigned lanes_;
};

class thread_block : public thread_group {
 public:
  static void sync(cucpu::Site site = cucpu::Site::current()) {
    cucpu::block_barrier(true, "thread_block::sync", site);
  }
  // As in NVIDIA's header, arriving does nothing: the wait is the whole barrier.
  struct arrival_token {};
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token&& /*token*/, cucpu::Site site = cucpu::Site::current()) {
    cucpu::block_barrier(true, "thread_block::barrier_wait", site);
  }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() { return cucpu::linear_thread(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }

 private:
  friend thread_block this_thread_block();
  thread_block() : thread_group(WholeBlock{}) {}
};

inline thread_block this_thread_block() { return {}; }

// On some devices a tile of several warps needs this memory. Here it is not used.
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
  char reserved;
};
template <unsigned MaxBlockSize>
thread_block this_thread_block(block_tile_memory<MaxBlockSize>& /*memory*/) {
  return this_thread_block();
}

// The common part of all groups inside a warp. `Group` maps a rank to its lane.
template <class Group>
class warp_group : public thread_group {
 public:
  void sync(cucpu::Site site = cucpu::Site::current()) const {
    cucpu::warp_exchange(lane_mask(), 0, "sync of a group", site);
  }

  template <class T>
  T shfl(T value, int rank, cucpu::Site site = cucpu::Site::current()) const {
    return from(value, self().lane_of(static_cast<unsigned>(rank)), "group.shfl", site);
  }
  // Beyond the first or the last rank a thread gets its own value.
  template <class T>
  T shfl_up(T value, unsigned delta, cucpu::Site site = cucpu::Site::current()) const {
    const unsigned rank = self().thread_rank();
    const unsigned lane = delta <= rank ? self().lane_of(rank - delta) : cucpu::lane_id();
    return from(value, lane, "group.shfl_up", site);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, cucpu::Site site = cucpu::Site::current()) const {
    const unsigned rank = self().thread_rank();
    const bool inside = delta < self().num_threads() - rank;
    const unsigned lane = inside ? self().lane_of(rank + delta) : cucpu::lane_id();
    return from(value, lane, "group.shfl_down", site);
  }

  int any(int predicate, cucpu::Site site = cucpu::Site::current()) const {
    return votes(predicate, "group.any", site) != 0;
  }
  int all(int predicate, cucpu::Site site = cucpu::Site::current()) const {
    return votes(predicate == 0, "group.all", site) == 0;
  }
  // Bit r is the thread of rank r, here and in what match_any and match_all return.
  unsigned ballot(int predicate, cucpu::Site site = cucpu::Site::current()) const {
    return cucpu::ranks_of(votes(predicate, "group.ballot", site), lane_mask());
  }
  template <cucpu::WarpValue T>
  unsigned match_any(T value, cucpu::Site site = cucpu::Site::current()) const {
    return cucpu::ranks_of(__match_any_sync(lane_mask(), value, site), lane_mask());
  }
  template <cucpu::WarpValue T>
  unsigned match_all(T value, int& all_equal, cucpu::Site site = cucpu::Site::current()) const {
    return cucpu::ranks_of(__match_all_sync(lane_mask(), value, &all_equal, site), lane_mask());
  }

 protected:
  explicit warp_group(unsigned lanes) : thread_group(lanes) {}

  template <class T>
  T from(const T& value, unsigned lane, const char* what, cucpu::Site site) const {
    return cucpu::value_from_lane(lane_mask(), value, lane, what, site);
  }

 private:
  const Group& self() const { return static_cast<const Group&>(*this); }
  unsigned votes(int predicate, const char* what, cucpu::Site site) const {
    return cucpu::lanes_where(cucpu::warp_exchange(lane_mask(), predicate != 0, what, site),
                              cucpu::is_set);
  }
};

// Threads of one warp in the order of their lanes, however many.
class coalesced_group : public warp_group<coalesced_group> {
 public:
  explicit coalesced_group(unsigned lanes, unsigned meta_size = 1, unsigned meta_rank = 0)
      : warp_group(lanes), meta_size_(meta_size), meta_rank_(meta_rank) {}

  unsigned lane_of(unsigned rank) const { return cucpu::lane_of_rank(lane_mask(), rank); }
  // How many groups the parent was cut into, and which of them this is.
  unsigned meta_group_size() const { return meta_size_; }
  unsigned meta_group_rank() const { return meta_rank_; }

 private:
  unsigned meta_size_;
  unsigned meta_rank_;
};

// The threads of the warp that are here together.
[[gnu::always_inline]] inline coalesced_group coalesced_threads(cucpu::Site site = cucpu::Site::current()) {
  return coalesced_group(cucpu::active_mask(site, __builtin_return_address(0)));
}

// `Size` threads in a row, a power of two of at most a warp.
template <unsigned Size, class Parent = void>
class thread_block_tile : public warp_group<thread_block_tile<Size, Parent>> {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  // `thread_block_tile<32> warp = tiled_partition<32>(block);`: the parent may go unsaid.
  template <class AnyParent>
    requires std::is_void_v<Parent>
  thread_block_tile(const thread_block_tile<Size, AnyParent>&) : thread_block_tile() {}

  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return cucpu::linear_thread() % Size; }
  static unsigned lane_of(unsigned rank) {
    return (cucpu::lane_id() & ~(Size - 1)) | (rank & (Size - 1));
  }

  template <class T>
  T shfl_xor(T value, unsigned rank_mask, cucpu::Site site = cucpu::Site::current()) const {
    const unsigned source = thread_rank() ^ rank_mask;
    const unsigned lane = source < Size ? lane_of(source) : cucpu::lane_id();
    return this->from(value, lane, "group.shfl_xor", site);
  }

  static unsigned meta_group_size() { return (parent_size() + Size - 1) / Size; }
  static unsigned meta_group_rank() { return cucpu::linear_thread() % parent_size() / Size; }

 private:
  template <unsigned S, class P>
  friend thread_block_tile<S, P> tiled_partition(const P& parent);

  static unsigned parent_size() {
    if constexpr (std::is_void_v<Parent>) {
      return thread_block::num_threads();
    } else {
      return Parent::num_threads();
    }
  }
  static unsigned lanes() {
    constexpr unsigned kOnes = Size == 32 ? ~0u : (1u << Size % 32) - 1;
    return kOnes << (cucpu::lane_id() & ~(Size - 1));
  }

  thread_block_tile() : warp_group<thread_block_tile>(lanes()) {}
};

// Several warps in a row.
template <unsigned Size, class Parent>
  requires(Size > 32)
class thread_block_tile<Size, Parent> {
  static_assert(Size <= 1024 && (Size & (Size - 1)) == 0,
                "a tile of several warps has 64, 128, 256, 512 or 1024 threads");

 public:
  template <class AnyParent>
    requires std::is_void_v<Parent>
  thread_block_tile(const thread_block_tile<Size, AnyParent>&) {}

  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return cucpu::linear_thread() % Size; }
  static unsigned meta_group_size() { return (parent_size() + Size - 1) / Size; }
  static unsigned meta_group_rank() { return cucpu::linear_thread() % parent_size() / Size; }
  // In its part of the block only.
  static bool is_valid() { return true; }

  void sync(cucpu::Site site = cucpu::Site::current()) const { cucpu::sync_wide_tile(Size, site); }

  // All threads name the same rank.
  template <class T>
  T shfl(T value, int rank, cucpu::Site site = cucpu::Site::current()) const {
    static_assert(std::is_trivially_copyable_v<T>, "threads exchange the bytes of a value");
    T result = value;
    if (thread_rank() == static_cast<unsigned>(rank)) cucpu::show_in_wide_tile(Size, 0, &value);
    sync(site);
    cucpu::copy_from_wide_tile(Size, 0, &result, sizeof(T));
    sync(site);
    return result;
  }
  int any(int predicate, cucpu::Site site = cucpu::Site::current()) const {
    const int of_warp = warp().any(predicate, site);
    return combined(of_warp, [](int a, int b) { return a | b; }, site);
  }
  int all(int predicate, cucpu::Site site = cucpu::Site::current()) const {
    const int of_warp = warp().all(predicate, site);
    return combined(of_warp, [](int a, int b) { return a & b; }, site);
  }

  // The caller's warp.
  static coalesced_group warp() { return coalesced_group(~0u); }
  // Combines the warps' values in the order of the warps.
  template <class T, class Op>
  T combined(T of_warp, Op op, cucpu::Site site) const {
    static_assert(std::is_trivially_copyable_v<T>, "threads exchange the bytes of a value");
    if (cucpu::lane_id() == 0) cucpu::show_in_wide_tile(Size, thread_rank() / 32, &of_warp);
    sync(site);
    T result = of_warp;
    for (unsigned i = 0; i < Size / 32; ++i) {
      T next = of_warp;
      cucpu::copy_from_wide_tile(Size, i, &next, sizeof(T));
      result = i == 0 ? next : op(result, next);
    }
    sync(site);
    return result;
  }

 private:
  template <unsigned S, class P>
  friend thread_block_tile<S, P> tiled_partition(const P& parent);

  static unsigned parent_size() {
    if constexpr (std::is_void_v<Parent>) {
      return thread_block::num_threads();
    } else {
      return Parent::num_threads();
    }
  }

  thread_block_tile() = default;
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent& /*parent*/) {
  if constexpr (!std::is_same_v<Parent, thread_block>) {
    static_assert(Size <= Parent::num_threads(), "a tile is no larger than what it is cut from");
  }
  return {};
}

// Consecutive ranks of a group inside a warp.
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned tile_size) {
  const unsigned rank = parent.thread_rank();
  const unsigned meta_rank = rank / tile_size;
  unsigned lanes = 0;
  for (unsigned r = meta_rank * tile_size; r < (meta_rank + 1) * tile_size; ++r) {
    if (r < parent.num_threads()) lanes |= 1u << parent.lane_of(r);
  }
  return coalesced_group(lanes, (parent.num_threads() + tile_size - 1) / tile_size, meta_rank);
}
inline thread_group tiled_partition(const thread_group& parent, unsigned tile_size) {
  if (!parent.is_block_) {
    return tiled_partition(coalesced_group(parent.lane_mask()), tile_size);
  }
  if (tile_size == 0 || tile_size > 32 || (tile_size & (tile_size - 1)) != 0) {
    cucpu::fault(cudaErrorLaunchFailure,
                 "tiled_partition: a tile of a block has 1, 2, 4, 8, 16 or 32 threads");
  }
  const unsigned ones = tile_size == 32 ? ~0u : (1u << tile_size) - 1;
  return thread_group(ones << (cucpu::lane_id() & ~(tile_size - 1)));
}

// The threads of the group that have the caller's label.
template <class Group, cucpu::WarpValue Label>
coalesced_group labeled_partition(const Group& group, Label label,
                                  cucpu::Site site = cucpu::Site::current()) {
  return coalesced_group(__match_any_sync(group.lane_mask(), label, site));
}
template <class Group>
coalesced_group binary_partition(const Group& group, bool predicate,
                                 cucpu::Site site = cucpu::Site::current()) {
  return labeled_partition(group, static_cast<int>(predicate), site);
}

// All blocks of a cooperative launch.
class grid_group {
 public:
  void sync(cucpu::Site site = cucpu::Site::current()) const { cucpu::grid_barrier(site); }
  // The two halves of sync(). The threads of a block do each of them together.
  using arrival_token = unsigned;
  arrival_token barrier_arrive(cucpu::Site site = cucpu::Site::current()) const {
    return cucpu::arrive_at_grid_barrier("grid.barrier_arrive()", site);
  }
  void barrier_wait(arrival_token&& token, cucpu::Site site = cucpu::Site::current()) const {
    cucpu::wait_at_grid_barrier(token, "grid.barrier_wait()", site);
  }
  bool is_valid() const { return cucpu::is_cooperative_launch(); }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return blockIdx; }
};

inline grid_group this_grid() { return {}; }

// One thread of the group calls the function.
template <class Group, class Function, class... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0)
    std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}
// The same, and each thread gets the result; for groups inside a warp.
template <class Group, class Function, class... Arguments>
auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  std::decay_t<std::invoke_result_t<Function, Arguments...>> result{};
  if (group.thread_rank() == 0)
    result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  return group.shfl(result, 0);
}

template <class Group>
void sync(const Group& group, cucpu::Site site = cucpu::Site::current()) {
  group.sync(site);
}
template <class Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
  return group.size();
}

}  // namespace cooperative_groups
