// memcpy_async of a whole group, and the waits that make the copies seen by it.
#pragma once

#include "cooperative_groups.h"
#include "cucpu/device/group_copy.h"

namespace cooperative_groups {

template <class Group, class Bytes>
void memcpy_async(const Group& group, void* to, const void* from, const Bytes& bytes) {
  cucpu::copy_later_together(group, to, from, static_cast<std::size_t>(bytes));
  cucpu::commit_copies();
}

// Copies of `count` elements of type T, at most as many as either side has room for.
template <class Group, class T, class ToCount, class FromCount>
void memcpy_async(const Group& group, T* to, const ToCount& to_count, const T* from,
                  const FromCount& from_count) {
  const std::size_t room = static_cast<std::size_t>(to_count);
  const std::size_t there = static_cast<std::size_t>(from_count);
  memcpy_async(group, static_cast<void*>(to), static_cast<const void*>(from),
               sizeof(T) * (room < there ? room : there));
}

// Waits for all copies of the group but those of the `Stages` last calls.
template <unsigned Stages, class Group>
void wait_prior(const Group& group, cucpu::Site site = cucpu::Site::current()) {
  cucpu::finish_copies(Stages);
  group.sync(site);
}
template <class Group>
void wait(const Group& group, cucpu::Site site = cucpu::Site::current()) {
  wait_prior<0>(group, site);
}

}  // namespace cooperative_groups
