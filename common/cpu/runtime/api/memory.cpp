// Allocation, and what is known of a pointer.
#include <cstdint>

#include "allocations.h"
#include "call.h"
#include "cuda_runtime_api.h"
#include "stream_order.h"

namespace cucpu {
namespace {

constexpr std::size_t kPitchAlignment = 512;

bool is_freed_by_cuda_free(MemoryKind kind) {
  return kind == MemoryKind::device || kind == MemoryKind::managed;
}
bool is_pinned(MemoryKind kind) { return kind == MemoryKind::host; }

cudaError_t allocate_into(void** pointer, std::size_t bytes, MemoryKind kind, unsigned flags = 0) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  *pointer = allocate(bytes, kind, flags);
  return *pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

// Frees memory once nothing runs that may use it.
cudaError_t free_after_all(void* pointer, bool (*is_right_kind)(MemoryKind),
                           const char* function = __builtin_FUNCTION(),
                           const void* returns_to = __builtin_return_address(0)) {
  return api_call(
      [=] {
        if (pointer == nullptr) return cudaSuccess;
        wait_for_all();
        if (sticky_error() != cudaSuccess) return sticky_error();
        return invalid_unless(release(pointer, is_right_kind));
      },
      function, returns_to);
}

}  // namespace
}  // namespace cucpu

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return cucpu::api_call(
      [=] { return cucpu::allocate_into(pointer, bytes, cucpu::MemoryKind::device); });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return cucpu::api_call([=] {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    std::size_t bytes = 0;
    if (width > SIZE_MAX - cucpu::kPitchAlignment) return cudaErrorMemoryAllocation;
    *pitch = (width + cucpu::kPitchAlignment - 1) / cucpu::kPitchAlignment * cucpu::kPitchAlignment;
    if (__builtin_mul_overflow(*pitch, height, &bytes)) return cudaErrorMemoryAllocation;
    return cucpu::allocate_into(pointer, bytes, cucpu::MemoryKind::device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
  return cucpu::api_call([=] {
    if (memory == nullptr) return cudaErrorInvalidValue;
    std::size_t rows = 0;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
      return cudaErrorMemoryAllocation;
    *memory = {nullptr, 0, extent.width, extent.height};
    return cudaMallocPitch(&memory->ptr, &memory->pitch, extent.width, rows);
  });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return cucpu::api_call([=] {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    // Unlike cudaMalloc, it refuses to allocate nothing.
    if (bytes == 0) return cudaErrorInvalidValue;
    return cucpu::allocate_into(pointer, bytes, cucpu::MemoryKind::managed, flags);
  });
}

cudaError_t cudaFree(void* pointer) {
  return cucpu::free_after_all(pointer, cucpu::is_freed_by_cuda_free);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return cucpu::api_call([=] { return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault); });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return cucpu::api_call([=] {
    constexpr unsigned kKnown =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    return cucpu::allocate_into(pointer, bytes, cucpu::MemoryKind::host, flags);
  });
}

cudaError_t cudaFreeHost(void* pointer) { return cucpu::free_after_all(pointer, cucpu::is_pinned); }

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return cucpu::api_call([=] {
    if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
    const bool added =
        cucpu::Allocations::instance().add(pointer, bytes, cucpu::MemoryKind::registered, flags);
    return added ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return cucpu::api_call([=] {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    cucpu::Allocations& registry = cucpu::Allocations::instance();
    const auto known = registry.at(pointer);
    if (!known || known->kind != cucpu::MemoryKind::registered)
      return cudaErrorHostMemoryNotRegistered;
    cucpu::wait_for_all();
    registry.remove(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return cucpu::api_call([=] {
    if (device == nullptr || flags != 0) return cudaErrorInvalidValue;
    const auto known = cucpu::Allocations::instance().containing(host);
    const bool pinned = known && (known->kind == cucpu::MemoryKind::host ||
                                  known->kind == cucpu::MemoryKind::registered);
    if (!pinned) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return cucpu::api_call([=] {
    const auto known = cucpu::Allocations::instance().containing(host);
    if (flags == nullptr || !known || known->kind != cucpu::MemoryKind::host)
      return cudaErrorInvalidValue;
    *flags = known->flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return cucpu::api_call([=] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    const cucpu::HostMemory memory = cucpu::host_memory();
    *free = memory.available;
    *total = memory.total;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return cucpu::api_call([=] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    void* const address = const_cast<void*>(pointer);
    const auto known = cucpu::Allocations::instance().containing(pointer);
    if (!known) {
      *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
      return cudaSuccess;
    }
    switch (known->kind) {
      case cucpu::MemoryKind::device:
      case cucpu::MemoryKind::symbol:
        *attributes = {cudaMemoryTypeDevice, 0, address, nullptr};
        break;
      case cucpu::MemoryKind::managed:
        *attributes = {cudaMemoryTypeManaged, 0, address, address};
        break;
      case cucpu::MemoryKind::host:
      case cucpu::MemoryKind::registered:
        *attributes = {cudaMemoryTypeHost, 0, address, address};
        break;
    }
    return cudaSuccess;
  });
}

namespace cucpu {
namespace {

// Managed memory never moves here, so only the arguments are checked.
cudaError_t check_managed(const void* pointer, std::size_t bytes, int device) {
  if (bytes == 0) return cudaErrorInvalidValue;
  if (device != 0 && device != cudaCpuDeviceId) return cudaErrorInvalidDevice;
  const auto known = Allocations::instance().containing(pointer);
  const bool managed =
      known && (known->kind == MemoryKind::managed || known->kind == MemoryKind::symbol);
  return invalid_unless(managed &&
                        bytes <= known->end() - reinterpret_cast<std::uintptr_t>(pointer));
}

}  // namespace
}  // namespace cucpu

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t stream) {
  return cucpu::api_call([=] {
    if (!cucpu::is_live_stream(stream)) return cudaErrorInvalidResourceHandle;
    return cucpu::check_managed(pointer, bytes, device);
  });
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          int device) {
  return cucpu::api_call([=] {
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
      return cudaErrorInvalidValue;
    return cucpu::check_managed(pointer, bytes, device);
  });
}
