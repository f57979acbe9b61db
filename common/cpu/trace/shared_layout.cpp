#include "shared_layout.h"

#include <algorithm>

namespace cucpu::trace {
namespace {

constexpr std::size_t kAlignment = 16;  // of positions, as of addresses

}  // namespace

SharedLayout::SharedLayout() : near_(thread_local_memory()) {
  const std::size_t rest = near_.begin % kAlignment;
  near_ = {near_.begin - rest, near_.bytes + rest};
  states_.assign(near_.bytes + kFarBytes + kEndBytes, ByteState::outside);
}

void SharedLayout::begin_block() {
  for (const Variable& v : variables_) std::fill_n(states(v.position), v.bytes, ByteState::outside);
  variables_.clear();
  far_end_ = (near_.bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void SharedLayout::add(std::uintptr_t begin, std::size_t bytes) {
  std::size_t position = begin - near_.begin;
  if (position >= near_.bytes) {
    position = far_end_ + begin % kAlignment;
    const std::size_t end = position + bytes + kAlignment;
    // Memory beyond what a block may have stays unknown.
    if (end > near_.bytes + kFarBytes) return;
    far_end_ = end / kAlignment * kAlignment;
  }
  variables_.push_back({{begin, bytes}, position});
  std::fill_n(states(position), bytes, ByteState::undefined);
}

std::size_t SharedLayout::position_far(std::uintptr_t address) const {
  if (far_end_ <= near_.bytes + kAlignment) return kNowhere;
  for (const Variable& v : variables_)
    if (v.contains(address)) return v.position + (address - v.begin);
  return kNowhere;
}

}  // namespace cucpu::trace
