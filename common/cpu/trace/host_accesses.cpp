#include "host_accesses.h"

#include "allocations.h"
#include "checked_memory.h"
#include "findings.h"
#include "settings.h"

namespace cucpu::trace {

void note_host_access(const Access& access) {
  const checked_memory::Arena arena = checked_memory::arena();
  if (access.address - arena.begin >= arena.bytes || in_kernel() || !settings().tools.memcheck)
    return;
  const auto known =
      Allocations::instance().containing(reinterpret_cast<const void*>(access.address));
  if (known && known->kind == MemoryKind::device) report_host_access(access);
}

}  // namespace cucpu::trace
