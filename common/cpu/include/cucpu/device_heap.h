// malloc and new of kernels: memory of the host's heap, which tools take for the device's. free and
// delete are the host's own; before a traced program calls them, they are checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "site.h"

namespace cucpu {

struct DeviceHeap {};
inline constexpr DeviceHeap device_heap;

#ifdef CUCPU_TRACED
// Notes that the memory is the device's, if a kernel has asked for it.
void* of_device_heap(void* memory, std::size_t bytes);

// A kernel begins to free the allocation that begins there. Returns its number; 0, having told the
// tools, if there is none: it must not be freed.
std::uint64_t begin_free(const volatile void* begin, Site site);
// It is free, unless another allocation lies there by now.
void end_free(const volatile void* begin, std::uint64_t number);

// The lowering puts these in place of `delete p`, `delete[] p`, and the argument of `free`.
// `destroy`: [](auto* q) { delete q; }, written where a destructor may be private.
template <class T, class Destroy>
void delete_checked(T* memory, Destroy destroy, Site site = Site::current()) {
  const volatile void* begin = memory;
  if constexpr (std::is_polymorphic_v<T>) begin = dynamic_cast<const volatile void*>(memory);
  const std::uint64_t number = begin_free(begin, site);
  if (number == 0) return;
  destroy(memory);
  end_free(begin, number);
}
template <class T, class Destroy>
void delete_array_checked(T* memory, Destroy destroy, Site site = Site::current()) {
  if (memory == nullptr) return;
  // The number of elements that have a destructor stands before them.
  constexpr std::size_t kNumberBytes =
      alignof(T) > sizeof(std::size_t) ? alignof(T) : sizeof(std::size_t);
  constexpr std::size_t kBefore = std::is_trivially_destructible_v<T> ? 0 : kNumberBytes;
  const auto* const begin = reinterpret_cast<const volatile char*>(memory) - kBefore;
  const std::uint64_t number = begin_free(begin, site);
  if (number == 0) return;
  destroy(memory);
  end_free(begin, number);
}
inline void* to_free(void* memory, Site site = Site::current()) {
  const std::uint64_t number = begin_free(memory, site);
  end_free(memory, number);
  return number != 0 ? memory : nullptr;
}
#else
inline void* of_device_heap(void* memory, std::size_t /*bytes*/) { return memory; }
#endif

// The lowering puts this in place of malloc in device code.
inline void* device_malloc(std::size_t bytes) { return of_device_heap(std::malloc(bytes), bytes); }

}  // namespace cucpu

// `new (device_heap) T`: the lowering puts this in place of `new T`.
inline void* operator new(std::size_t bytes, cucpu::DeviceHeap) {
  return cucpu::of_device_heap(::operator new(bytes), bytes);
}
inline void* operator new[](std::size_t bytes, cucpu::DeviceHeap) {
  return cucpu::of_device_heap(::operator new[](bytes), bytes);
}
inline void operator delete(void* memory, cucpu::DeviceHeap) { ::operator delete(memory); }
inline void operator delete[](void* memory, cucpu::DeviceHeap) { ::operator delete[](memory); }
