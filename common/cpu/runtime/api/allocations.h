// Every piece of memory that the runtime API knows of, with its exact extent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "driver_types.h"

namespace cucpu {

enum class MemoryKind {
  device,      // cudaMalloc and its kin
  managed,     // cudaMallocManaged
  host,        // cudaMallocHost, cudaHostAlloc
  registered,  // the program's own, made known by cudaHostRegister
  symbol,      // a __device__, __constant__ or __managed__ variable
};

struct Allocation {
  std::uintptr_t begin;
  std::size_t bytes;
  MemoryKind kind;
  unsigned flags;        // that it was made with
  cudaMemPool_t pool;    // where cudaMallocAsync took it from, else null
  std::uint64_t serial;  // counts allocations from 1, in order

  std::uintptr_t end() const { return begin + bytes; }
  bool contains(std::uintptr_t address) const { return address >= begin && address < end(); }
};

// Safe to use from any number of threads. Extents never overlap.
class Allocations {
 public:
  static Allocations& instance();

  // Registers the extent, with a new serial number; false if it overlaps a registered one.
  bool add(const void* begin, std::size_t bytes, MemoryKind kind, unsigned flags = 0,
           cudaMemPool_t pool = nullptr);
  // Forgets the allocation that begins exactly there.
  std::optional<Allocation> remove(const void* begin);
  // The same, but launches that are under way may still use it until it is let go.
  std::optional<Allocation> withdraw(const void* begin);
  void let_go(const Allocation& withdrawn);

  std::optional<Allocation> at(const void* begin) const;
  std::optional<Allocation> containing(const void* address) const;
  // The allocation that contains the address, else the one whose edge is closest to it.
  std::optional<Allocation> nearest(const void* address) const;
  // All of them, by address.
  std::vector<Allocation> all() const;
  // The same, with those that are withdrawn and not yet let go.
  std::vector<Allocation> all_in_use() const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Allocation> by_begin_;
  std::map<std::uintptr_t, Allocation> withdrawn_;
  std::uint64_t last_serial_ = 0;
};

// Fresh memory, filled with 0xff bytes, aligned to kAllocationAlignment, with unused memory on both
// sides, more of it behind the end, so that small overruns do no harm. Null if the host has no
// memory left.
constexpr std::size_t kAllocationAlignment = 256;
void* allocate(std::size_t bytes, MemoryKind kind, unsigned flags = 0,
               cudaMemPool_t pool = nullptr);
// For functions of the API: takes an allocation out of the registry and frees its memory; false if
// no allocation of the right kind begins there.
bool release(void* begin, bool (*is_right_kind)(MemoryKind));
// The same in two steps: takes it out of the registry, and gives its memory back later.
std::optional<Allocation> withdraw(void* begin, bool (*is_right_kind)(MemoryKind));
void give_back(const Allocation& withdrawn);
// Gives everything back, for cudaDeviceReset.
void release_all();

// Memory of the host: what there is, and how much of it may still be taken.
struct HostMemory {
  std::size_t total;
  std::size_t available;
};
HostMemory host_memory();

}  // namespace cucpu
