#include "sync_variables.h"

namespace cucpu::trace {

SyncVariables& SyncVariables::instance() {
  static SyncVariables& variables = *new SyncVariables;  // workers may outlive static objects
  return variables;
}

void SyncVariables::clear() {
  if (!any()) return;
  for (Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    part.variables.clear();
  }
  any_.store(false, std::memory_order_release);
}

void SyncVariables::release(std::uintptr_t variable, std::uint32_t block,
                            const KnownOfBlock& of_block, const Knowledge& of_others) {
  Part& part = part_of(variable);
  const std::lock_guard lock(part.mutex);
  Knowledge& known = part.variables[variable];
  known.add(of_others);
  known.add(block, of_block);
  any_.store(true, std::memory_order_release);
}

Knowledge SyncVariables::acquire(std::uintptr_t variable) {
  if (!any()) return {};
  Part& part = part_of(variable);
  const std::lock_guard lock(part.mutex);
  const auto found = part.variables.find(variable);
  return found == part.variables.end() ? Knowledge() : found->second;
}

}  // namespace cucpu::trace
