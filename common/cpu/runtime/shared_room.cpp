// Dynamic shared memory, which lies between a program's __shared__ variables and the variables of
// the runtime. A write past the end of a __shared__ variable lands in shared memory, as on a GPU,
// and does not change which thread a worker thinks it runs.
//
// The linker places thread-local variables: first those of the program's files, then those of the
// libraries' files in the order in which it needs them. This file is the library's first
// (common/cpu/meson.build), has no other variable, and defines functions that every program with
// __shared__ variables calls.
#include "cucpu/execution.h"
#include "cucpu/shared.h"
#include "preemption.h"
#include "shared_memory.h"

alignas(1024) __thread char cucpu_dynamic_shared[cucpu::kMaxDynamicSharedBytes];

namespace cucpu {

void SharedGuard::enter_traced(void* variable, std::size_t bytes) {
  if (serial_ != current_block_serial) enter_first(variable, bytes);
}

// Not to be interrupted between the two: another thread of the block would take the variable for
// filled.
void SharedGuard::enter_first(void* variable, std::size_t bytes) {
  const InRuntime in_runtime;
  serial_ = current_block_serial;
  begin_shared_variable(variable, bytes);
}

NamespaceShared::NamespaceShared(Address address, std::size_t bytes) {
  add_namespace_variable(address, bytes);
}

}  // namespace cucpu
