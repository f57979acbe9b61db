// malloc and new of kernels, and what frees that memory. The host's heap gives it, as much as the
// device's heap (cudaLimitMallocHeapSize) would; tools take it for the device's.
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

// Whether the device's heap has `bytes` bytes left for the kernel that asks; if so, they are taken.
// The host always gets memory.
bool reserve_on_device_heap(std::size_t bytes);
// Returns `memory`, having noted that the device's heap gave it, if a kernel has reserved its
// bytes.
void* of_device_heap(void* memory, std::size_t bytes);

// A kernel begins to free the allocation at the address `begin`. Returns its number; 0 if it must
// not be freed, and memcheck has reported that. Without memcheck, freeing what is certainly no such
// allocation ends the launch. (UINT64_MAX: free it, there is nothing to note.)
std::uint64_t begin_free(std::uintptr_t begin, Site site);
// It is free, unless another allocation lies there by now.
void end_free(std::uintptr_t begin, std::uint64_t number);

// The lowering puts these in place of `delete p`, `delete[] p`, and the argument of `free`.
// `destroy`: [](auto* q) { delete q; }, written where a destructor may be private.
template <class T, class Destroy>
void delete_checked(T* memory, Destroy destroy, Site site = Site::current()) {
  auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if constexpr (std::is_polymorphic_v<T>)
    begin = reinterpret_cast<std::uintptr_t>(dynamic_cast<const volatile void*>(memory));
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
  const auto begin = reinterpret_cast<std::uintptr_t>(memory) - kBefore;
  const std::uint64_t number = begin_free(begin, site);
  if (number == 0) return;
  destroy(memory);
  end_free(begin, number);
}
inline void* to_free(void* memory, Site site = Site::current()) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uint64_t number = begin_free(begin, site);
  end_free(begin, number);
  return number != 0 ? memory : nullptr;
}

// The lowering puts this in place of malloc in device code.
inline void* device_malloc(std::size_t bytes) {
  return reserve_on_device_heap(bytes) ? of_device_heap(std::malloc(bytes), bytes) : nullptr;
}

}  // namespace cucpu

// `new (device_heap) T`: the lowering puts this in place of `new T`. As on a GPU, it is null if the
// heap is full.
inline void* operator new(std::size_t bytes, cucpu::DeviceHeap) noexcept {
  if (!cucpu::reserve_on_device_heap(bytes)) return nullptr;
  return cucpu::of_device_heap(::operator new(bytes), bytes);
}
inline void* operator new[](std::size_t bytes, cucpu::DeviceHeap) noexcept {
  if (!cucpu::reserve_on_device_heap(bytes)) return nullptr;
  return cucpu::of_device_heap(::operator new[](bytes), bytes);
}
inline void operator delete(void* memory, cucpu::DeviceHeap) { ::operator delete(memory); }
inline void operator delete[](void* memory, cucpu::DeviceHeap) { ::operator delete[](memory); }
