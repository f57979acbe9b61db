// Which memory a pointer of device code leads to, and addresses inside one memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cucpu/execution.h"

namespace cucpu {
// "Shared" is the shared memory of the current thread's block; "local" is that thread's own stack.
bool is_shared(const void* pointer);
bool is_local(const void* pointer);
bool is_constant(const void* pointer);
}  // namespace cucpu

inline unsigned __isShared(const void* pointer) { return cucpu::is_shared(pointer); }
inline unsigned __isLocal(const void* pointer) { return cucpu::is_local(pointer); }
inline unsigned __isConstant(const void* pointer) { return cucpu::is_constant(pointer); }
inline unsigned __isGlobal(const void* pointer) {
  return !__isShared(pointer) && !__isLocal(pointer) && !__isConstant(pointer);
}

// Programs keep addresses in shared memory as 32 bits. All shared variables lie close together.
inline std::size_t __cvta_generic_to_shared(const void* pointer) {
  return static_cast<std::uint32_t>(static_cast<const char*>(pointer) - cucpu_dynamic_shared);
}
inline void* __cvta_shared_to_generic(std::size_t address) {
  return cucpu_dynamic_shared + static_cast<std::int32_t>(address);
}
// The other memories have the host's addresses.
inline std::size_t __cvta_generic_to_global(const void* pointer) {
  return reinterpret_cast<std::size_t>(pointer);
}
inline void* __cvta_global_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}
inline std::size_t __cvta_generic_to_local(const void* pointer) {
  return reinterpret_cast<std::size_t>(pointer);
}
inline void* __cvta_local_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}
inline std::size_t __cvta_generic_to_constant(const void* pointer) {
  return reinterpret_cast<std::size_t>(pointer);
}
inline void* __cvta_constant_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}
