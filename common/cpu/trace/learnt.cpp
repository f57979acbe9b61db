#include "learnt.h"

#include "lanes.h"
#include "rules.h"

namespace cucpu::trace {

void Learnt::block_met() {
  for (const auto& [thread, known] : of_thread_) of_block_.add(known);
  of_thread_.clear();
}

void Learnt::lanes_met(unsigned warp, std::uint32_t lanes) {
  if (of_thread_.empty()) return;
  Knowledge sum;
  for_each_lane(lanes, [&](unsigned lane) { sum.add(of(warp * kLanes + lane)); });
  if (sum.empty()) return;
  for_each_lane(lanes, [&](unsigned lane) { of_thread_[warp * kLanes + lane] = sum; });
}

}  // namespace cucpu::trace
