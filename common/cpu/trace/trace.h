// The stream of traced CUDA threads' events, as tools see it.
//
// A worker's recorder (recorder.h) turns the calls of a traced kernel, and the worker's reports to
// its observer, into events. It hands them to the worker's tools in the order in which they happen
// there. A tool belongs to one worker; the results of all workers' tools are merged at the end of
// the launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cucpu/site.h"
#include "cucpu/way.h"
#include "grid.h"
#include "observer.h"

namespace cucpu::trace {

enum class Space : std::uint8_t { global, shared, local };
enum class Kind : std::uint8_t { load, store, atomic };

// One access of one thread. It is reported before it happens.
struct Access {
  Space space;
  Kind kind;
  std::uintptr_t address;
  unsigned bytes;
  bool must_be_aligned;  // to `bytes`
  std::uintptr_t code;   // where the call returns to, of the instruction that accesses
  Way way = Way::plain;
  bool of_block = false;  // atomic among the threads of a block only

  // A copy, field by field, so that the original can stay in registers.
  [[gnu::always_inline]] Access copy() const {
    return {space, kind, address, bytes, must_be_aligned, code, way, of_block};
  }
};

// Whether what lanes of a warp meet in is a barrier, which puts their accesses in an order.
// Shuffles, votes and matches put nothing in an order.
bool is_warp_barrier(std::string_view what);

// The thread that an event is about, within its block.
struct Thread {
  unsigned number;  // linear
  unsigned warp;
  unsigned lane;
};

}  // namespace cucpu::trace
