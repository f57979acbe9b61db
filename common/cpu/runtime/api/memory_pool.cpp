// cudaMallocAsync, and the memory pools that it takes memory from. A pool keeps nothing: what is
// freed goes back to the host at once, whatever the release threshold.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "allocations.h"
#include "call.h"
#include "cuda_runtime_api.h"
#include "stream_order.h"

struct CUmemPoolHandle_st {
  std::uint64_t most = 0;  // bytes that it may have, or 0
  std::uint64_t used = 0;
  std::uint64_t used_high = 0;
  std::uint64_t release_threshold = 0;
  int follow_event_dependencies = 1;
  int allow_opportunistic = 1;
  int allow_internal_dependencies = 1;
  bool is_destroyed = false;  // but memory of it is still in use
};

namespace cucpu {
namespace {

using Pool = CUmemPoolHandle_st;

struct Pools {
  std::mutex mutex;
  Pool ours;              // the default pool
  Pool* current = &ours;  // the one that cudaMallocAsync takes
  std::vector<std::unique_ptr<Pool>> made;

  bool is_live(const Pool* pool) const {
    return pool == &ours || std::any_of(made.begin(), made.end(), [=](const auto& p) {
             return p.get() == pool && !p->is_destroyed;
           });
  }
  void forget_unused() {
    std::erase_if(made, [](const auto& pool) { return pool->is_destroyed && pool->used == 0; });
  }
};

Pools& pools() {
  static Pools& all = *new Pools;  // destructors of static objects may still use theirs
  return all;
}

// Runs `body` if the pool exists; one call at a time.
template <class Body>
cudaError_t pool_call(cudaMemPool_t pool, Body body, const char* function = __builtin_FUNCTION(),
                      const void* returns_to = __builtin_return_address(0)) {
  return api_call(
      [&] {
        const std::lock_guard lock(pools().mutex);
        return pools().is_live(pool) ? body() : cudaErrorInvalidValue;
      },
      function, returns_to);
}

bool is_device_memory(MemoryKind kind) { return kind == MemoryKind::device; }

// The int that a reuse policy is kept in, or null for the other attributes.
int* reuse_policy(Pool& pool, cudaMemPoolAttr attribute) {
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

cudaError_t allocate_from(Pool& pool, void** pointer, std::size_t bytes, cudaStream_t stream) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  if (!is_live_stream(stream)) return cudaErrorInvalidResourceHandle;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (pool.most != 0 && bytes > pool.most - pool.used) return cudaErrorMemoryAllocation;
  *pointer = allocate(bytes, MemoryKind::device, 0, &pool);
  if (*pointer == nullptr) return cudaErrorMemoryAllocation;
  pool.used += bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
  return cudaSuccess;
}

}  // namespace

void note_pool_free(cudaMemPool_t pool, std::size_t bytes) {
  const std::lock_guard lock(pools().mutex);
  pool->used -= bytes;
  pools().forget_unused();
}

void reset_pools() {
  const std::lock_guard lock(pools().mutex);
  pools().made.clear();
  pools().ours = {};
  pools().current = &pools().ours;
}

}  // namespace cucpu

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return cucpu::api_call([=] {
    const std::lock_guard lock(cucpu::pools().mutex);
    return cucpu::allocate_from(*cucpu::pools().current, pointer, bytes, stream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cucpu::pool_call(pool,
                          [=] { return cucpu::allocate_from(*pool, pointer, bytes, stream); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return cucpu::api_call([=] {
    if (!cucpu::is_live_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (pointer == nullptr) return cudaSuccess;
    const auto withdrawn = cucpu::withdraw(pointer, cucpu::is_device_memory);
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
    *pool = &cucpu::pools().ours;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cucpu::api_call([=] {
    if (device != 0) return cudaErrorInvalidDevice;
    if (pool == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(cucpu::pools().mutex);
    *pool = cucpu::pools().current;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return cucpu::pool_call(pool, [=] {
    if (device != 0) return cudaErrorInvalidDevice;
    cucpu::pools().current = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return cucpu::api_call([=] {
    if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    const cudaMemLocation& at = properties->location;
    if (properties->allocType != cudaMemAllocationTypePinned ||
        at.type != cudaMemLocationTypeDevice || at.id != 0)
      return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;
    const std::lock_guard lock(cucpu::pools().mutex);
    auto& made = cucpu::pools().made.emplace_back(std::make_unique<CUmemPoolHandle_st>());
    made->most = properties->maxSize;
    *pool = made.get();
    return cudaSuccess;
  });
}

// Its memory stays until it is freed.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return cucpu::pool_call(pool, [=] {
    cucpu::Pools& all = cucpu::pools();
    if (pool == &all.ours) return cudaErrorInvalidValue;
    if (pool == all.current) all.current = &all.ours;
    pool->is_destroyed = true;
    all.forget_unused();
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return cucpu::pool_call(pool, [=] {
    if (value == nullptr) return cudaErrorInvalidValue;
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
  return cucpu::pool_call(pool, [=] {
    if (value == nullptr) return cudaErrorInvalidValue;
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
  return cucpu::pool_call(pool, [] { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* accesses,
                                 std::size_t count) {
  return cucpu::pool_call(pool, [=] {
    if (accesses == nullptr && count != 0) return cudaErrorInvalidValue;
    for (const cudaMemAccessDesc& access : std::span(accesses, count)) {
      if (access.location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
      if (access.location.id != 0) return cudaErrorInvalidDevice;
      // A device cannot be kept from its own memory.
      if (access.flags != cudaMemAccessFlagsProtReadWrite) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* access, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  return cucpu::pool_call(pool, [=] {
    if (access == nullptr || location == nullptr || location->type != cudaMemLocationTypeDevice)
      return cudaErrorInvalidValue;
    if (location->id != 0) return cudaErrorInvalidDevice;
    *access = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}
