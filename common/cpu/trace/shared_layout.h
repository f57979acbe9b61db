// Where the shared memory of the block that a worker runs is, byte by byte.
//
// All of it is thread-local memory of the program, unless a kernel is in a library. A byte's
// position is its place in one range that holds it all.
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

  // Of the worker whose thread of the host this is.
  SharedLayout();

  // All positions are below this.
  std::size_t size() const { return states_.size(); }
  // The block has no shared variable yet.
  void begin_block();
  void add(std::uintptr_t begin, std::size_t bytes);

  // Of memory that may be shared; `states` says of each byte whether it is.
  std::size_t position(std::uintptr_t address) const {
    const std::size_t offset = near_position(address);
    return offset != kNowhere ? offset : position_far(address);
  }
  // Of the program's own; `kNowhere` of a library's.
  std::size_t near_position(std::uintptr_t address) const {
    const std::size_t offset = address - near_.begin;
    return offset < near_.bytes ? offset : kNowhere;
  }
  ByteState* states(std::size_t position) { return &states_[position]; }

 private:
  // What the variables of libraries may have, and what follows the last byte.
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
