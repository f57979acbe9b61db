// Stacks to run CUDA threads on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cucpu/fiber.h"

namespace cucpu {

// The fibers of one worker; made on demand, and kept.
class FiberPool {
 public:
  using Entry = void (*)();

  // A fiber starts in `entry`, which must not return.
  FiberPool(Entry entry, std::size_t stack_bytes, unsigned capacity);
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  unsigned size() const { return size_; }
  // A further fiber, at its beginning; its address stays.
  Fiber* make();
  // Forgets what runs on any fiber: each is at its beginning again.
  void restart_all();

  // How far below the top of the fiber's stack this address of it is.
  std::uintptr_t depth(const Fiber& fiber, std::uintptr_t address) const;
  char* stack_top(const Fiber& fiber) const;
  // Whether the runtime may read what a thread has left on its stack. A checker of the host's
  // program would take that for a fault.
  static bool can_read_stacks();

  std::size_t stack_bytes() const { return stack_bytes_; }
  // All stacks and their guards.
  const char* begin() const { return memory_; }
  const char* end() const { return memory_ + stride_ * capacity_; }
  // True if the address lies in the guard below a stack: the stack has overflowed.
  bool is_guard(const void* address) const;

 private:
  void start(Fiber& fiber);
  char* stack_bottom(std::size_t fiber) const { return memory_ + fiber * stride_; }

  Entry entry_;
  std::size_t stack_bytes_;
  std::size_t stride_;  // from stack to stack, guards included
  unsigned capacity_;
  long guards_ = 0;  // of stacks below which nothing can be accessed
  char* memory_;
  unsigned size_ = 0;
  std::vector<Fiber> fibers_;  // and kFibersAhead more, which never run
};

}  // namespace cucpu
