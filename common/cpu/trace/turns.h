// The order in which the memory system serves the words of one request: sector by sector, or
// wavefront by wavefront.
#pragma once

#include <cstdint>
#include <vector>

#include "rules.h"
#include "trace.h"

namespace cucpu::trace {

// A word of 4 bytes that a lane accesses, at least in part.
struct Cell {
  unsigned lane;
  std::uintptr_t word;  // its address, by 4
  unsigned turn;        // from 0, in which it travels
};

// The cells of all lanes, by lane and address. Their turns are as many as the request costs
// (rules.h) in sectors of global memory, or wavefronts of shared memory. Exceptions are copies,
// whose source has a say, and atomic functions that take several wavefronts for one turn: there,
// the first of these is named.
std::vector<Cell> cells_of(const Request& request, Space space, Kind kind, Way way);

}  // namespace cucpu::trace
