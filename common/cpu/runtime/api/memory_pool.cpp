// cudaMallocAsync, and the one memory pool that it takes its memory from. The pool keeps nothing:
// what is freed goes back to the host at once, whatever the release threshold.
#include <algorithm>
#include <cstdint>
#include <mutex>

#include "allocations.h"
#include "call.h"
#include "cuda_runtime_api.h"
#include "stream_order.h"

struct CUmemPoolHandle_st {
  std::mutex mutex;
  std::uint64_t used = 0;
  std::uint64_t used_high = 0;
  std::uint64_t release_threshold = 0;
  int follow_event_dependencies = 1;
  int allow_opportunistic = 1;
  int allow_internal_dependencies = 1;
};

namespace cucpu {
namespace {

CUmemPoolHandle_st& the_pool() {
  static CUmemPoolHandle_st& pool = *new CUmemPoolHandle_st;
  return pool;
}

bool is_device_memory(MemoryKind kind) { return kind == MemoryKind::device; }

// The int that a reuse policy is kept in, or null for the other attributes.
int* reuse_policy(CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
      return &pool.follow_event_dependencies;
    case cudaMemPoolReuseAllowOpportunistic:
      return &pool.allow_opportunistic;
    case cudaMemPoolReuseAllowInternalDependencies:
      return &pool.allow_internal_dependencies;
    default:
      return nullptr;
  }
}

}  // namespace

void note_pool_allocation(std::size_t bytes) {
  CUmemPoolHandle_st& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  pool.used += bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
}

void note_pool_free(std::size_t bytes) {
  CUmemPoolHandle_st& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  pool.used -= bytes;
}

void reset_pool() {
  CUmemPoolHandle_st& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  pool.used = pool.used_high = pool.release_threshold = 0;
  pool.follow_event_dependencies = 1;
  pool.allow_opportunistic = 1;
  pool.allow_internal_dependencies = 1;
}

}  // namespace cucpu

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return cucpu::api_call([=] {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    if (!cucpu::is_live_stream(stream)) return cudaErrorInvalidResourceHandle;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    *pointer = cucpu::allocate(bytes, cucpu::MemoryKind::device, 0, true);
    if (*pointer == nullptr) return cudaErrorMemoryAllocation;
    cucpu::note_pool_allocation(bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (pool != &cucpu::the_pool()) return cucpu::api_call([] { return cudaErrorInvalidValue; });
  return cudaMallocAsync(pointer, bytes, stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return cucpu::api_call([=] {
    if (!cucpu::is_live_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (pointer == nullptr) return cudaSuccess;
    const auto withdrawn = cucpu::withdraw("cudaFreeAsync", pointer, cucpu::is_device_memory);
    if (!withdrawn) return cudaErrorInvalidValue;
    if (cucpu::is_idle(stream))
      cucpu::give_back(*withdrawn);
    else
      cucpu::enqueue(stream, [memory = *withdrawn] { cucpu::give_back(memory); });
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return cucpu::api_call([=] {
    if (device != 0) return cudaErrorInvalidDevice;
    if (pool == nullptr) return cudaErrorInvalidValue;
    *pool = &cucpu::the_pool();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return cucpu::api_call([=] {
    if (device != 0) return cudaErrorInvalidDevice;
    return cucpu::invalid_unless(pool == &cucpu::the_pool());
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return cucpu::api_call([=] {
    if (pool != &cucpu::the_pool() || value == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(pool->mutex);
    if (const int* policy = cucpu::reuse_policy(*pool, attribute)) {
      *static_cast<int*>(value) = *policy;
      return cudaSuccess;
    }
    std::uint64_t& bytes = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold:
        bytes = pool->release_threshold;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemCurrent:
      case cudaMemPoolAttrUsedMemCurrent:
        bytes = pool->used;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        bytes = pool->used_high;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return cucpu::api_call([=] {
    if (pool != &cucpu::the_pool() || value == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(pool->mutex);
    if (int* policy = cucpu::reuse_policy(*pool, attribute)) {
      *policy = *static_cast<const int*>(value);
      return cudaSuccess;
    }
    const std::uint64_t bytes = *static_cast<const std::uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold:
        pool->release_threshold = bytes;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        // High-water marks can only be set back.
        if (bytes != 0) return cudaErrorInvalidValue;
        pool->used_high = pool->used;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t /*bytes_to_keep*/) {
  return cucpu::api_call([=] { return cucpu::invalid_unless(pool == &cucpu::the_pool()); });
}
