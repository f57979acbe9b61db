// Shared memory: each variable is thread-local storage of the worker that runs the block, and
// holds 0xff bytes (NaN, -1) when a block begins, as little to be relied on as on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cucpu {

// A number that differs for every block that this worker runs.
extern constinit thread_local std::uint64_t current_block_serial;
inline std::uint64_t block_serial() { return current_block_serial; }

// Fills the variable; a fault if the block's static shared memory exceeds what ptxas accepts.
void begin_shared_variable(void* variable, std::size_t bytes);

// Stands beside each __shared__ variable of a function: the block's first thread that comes by
// fills it.
class SharedGuard {
 public:
#ifdef CUCPU_TRACED
  [[gnu::always_inline]] void enter(void* variable, std::size_t bytes) {
    enter_traced(variable, bytes);
  }
#else
  [[gnu::always_inline]] void enter(void* variable, std::size_t bytes) {
    if (serial_ == current_block_serial) [[likely]]
      return;
    enter_first(variable, bytes);
  }
#endif

 private:
  // The same, untraced.
  void enter_traced(void* variable, std::size_t bytes);
  void enter_first(void* variable, std::size_t bytes);

  std::uint64_t serial_ = 0;
};

// Makes a __shared__ variable at namespace scope known, to be filled when a block begins.
class NamespaceShared {
 public:
  using Address = void* (*)();  // of the calling worker's copy
  NamespaceShared(Address address, std::size_t bytes);
};

}  // namespace cucpu
