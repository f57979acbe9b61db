// The layout of the shared memory of the block that a worker runs, byte by byte.
//
// All of it is thread-local memory of the program, unless a kernel is in a library. A byte's
// position is its index in one range that holds all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checked_memory.h"
#include "program_image.h"

namespace cucpu::trace {

class SharedLayout {
 public:
  using ByteState = checked_memory::ByteState;
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  // To be made by the worker's own thread of the host.
  SharedLayout();

  // All positions are below this.
  std::size_t size() const { return states_.size(); }
  // The block has no shared variable yet.
  void begin_block();
  void add(std::uintptr_t begin, std::size_t bytes);

  // The position of a byte that may be shared; `states` tells whether it is.
  std::size_t position(std::uintptr_t address) const {
    const std::size_t offset = near_position(address);
    return offset != kNowhere ? offset : position_far(address);
  }
  // The same for the program's own memory; `kNowhere` for a library's.
  std::size_t near_position(std::uintptr_t address) const {
    const std::size_t offset = address - near_.begin;
    return offset < near_.bytes ? offset : kNowhere;
  }
  ByteState* states(std::size_t position) { return &states_[position]; }

 private:
  // Room for the variables of libraries, and behind the last byte.
  static constexpr std::size_t kFarBytes = 256 * 1024;
  static constexpr std::size_t kEndBytes = 64;

  struct Variable : Extent {
    std::size_t position;
  };
  std::size_t position_far(std::uintptr_t address) const;

  Extent near_;
  std::vector<ByteState> states_;
  std::vector<Variable> variables_;  // of the block
  std::size_t far_end_ = 0;          // where the next variable of a library goes
};

}  // namespace cucpu::trace
