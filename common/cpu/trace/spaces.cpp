#include "spaces.h"

#include <algorithm>

#include "allocations.h"
#include "cucpu/execution.h"
#include "device_variables.h"
#include "fiber_pool.h"

namespace cucpu::trace {

Spaces::Spaces()
    : dynamic_{reinterpret_cast<std::uintptr_t>(&cucpu_dynamic_shared[0]), kMaxDynamicSharedBytes} {
}

void Spaces::begin_launch(const FiberPool& fibers) {
  stacks_ = {reinterpret_cast<std::uintptr_t>(fibers.begin()),
             static_cast<std::size_t>(fibers.end() - fibers.begin())};
  global_.clear();
  for (const Allocation& a : Allocations::instance().all_in_use())
    // Symbols are the program's variables, those in constant memory too; device_variables() has
    // the global ones.
    if (a.kind != MemoryKind::symbol) global_.push_back({a.begin, a.bytes});
  for (const StaticVariable& v : device_variables()) global_.push_back({v.begin, v.bytes});
  std::sort(global_.begin(), global_.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  near_.fill({});
}

void Spaces::add_shared(Extent variable) {
  if (static_.bytes == 0) {
    static_ = variable;
    return;
  }
  const std::uintptr_t end =
      std::max(static_.begin + static_.bytes, variable.begin + variable.bytes);
  static_.begin = std::min(static_.begin, variable.begin);
  static_.bytes = end - static_.begin;
}

bool Spaces::find_global(std::uintptr_t address) {
  const Extent* extent = find_extent(global_, address);
  if (extent == nullptr) return false;
  near_[address / kNearBytes % kNear] = *extent;
  return true;
}

}  // namespace cucpu::trace
