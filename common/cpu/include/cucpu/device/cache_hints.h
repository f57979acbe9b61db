// Loads and stores with cache hints. A CPU has no such hints to give: they are plain accesses, one
// each, of any type that a register pair of the device could hold.
#pragma once

#include <type_traits>

namespace cucpu {
template <class T>
concept Cacheable = std::is_trivially_destructible_v<T> && sizeof(T) <= 16;

// Makes the compiler fetch what follows from memory, for loads that others' stores must reach.
inline void forget_loads() { asm volatile("" ::: "memory"); }
}  // namespace cucpu

// Through the read-only cache; at all levels; for one use; for the last use.
template <cucpu::Cacheable T>
T __ldg(const T* address) {
  return *address;
}
template <cucpu::Cacheable T>
T __ldca(const T* address) {
  return *address;
}
template <cucpu::Cacheable T>
T __ldcs(const T* address) {
  return *address;
}
template <cucpu::Cacheable T>
T __ldlu(const T* address) {
  return *address;
}
// From the level that all blocks share; from memory.
template <cucpu::Cacheable T>
T __ldcg(const T* address) {
  cucpu::forget_loads();
  return *address;
}
template <cucpu::Cacheable T>
T __ldcv(const T* address) {
  cucpu::forget_loads();
  return *address;
}

// At all levels; at the level that all blocks share; for no further use; through to memory.
template <cucpu::Cacheable T>
void __stwb(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <cucpu::Cacheable T>
void __stcg(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <cucpu::Cacheable T>
void __stcs(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <cucpu::Cacheable T>
void __stwt(T* address, std::type_identity_t<T> value) {
  *address = value;
}
