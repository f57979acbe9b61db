// malloc and new of kernels: memory of the host's heap, which tools take for the device's. free and
// delete are the host's own.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace cucpu {

struct DeviceHeap {};
inline constexpr DeviceHeap device_heap;

#ifdef CUCPU_TRACED
// Notes that the memory is the device's, if a kernel has asked for it.
void* of_device_heap(void* memory, std::size_t bytes);
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
