#pragma once

#include <functional>
#include <string>
#include <vector>

namespace judge {

/// Global memory is read and written in sectors of so many bytes.
inline constexpr double kSectorBytes = 32;

/// The work of all launches of a solution together, and the work that the problem asks for.
struct Work {
  double sectors = 0;         ///< loaded from and stored to global memory
  double global_atomics = 0;  ///< lanes that did one
  double loads = 0;           ///< requests of warps, from global and shared memory
  std::vector<int> sizes;     ///< as `solve` got them
  double elements = 0;        ///< of the first array
  double bytes = 0;           ///< that have to move at least
};

/// A figure that a good solution stays below, counted and not timed.
struct Goal {
  std::string what;  ///< as in "0.52 load instructions per FMA"
  double most;
  std::function<double(const Work&)> counted;
};

/// A goal and what a solution reached.
struct Reached {
  std::string what;
  double most, counted;

  bool is_met() const { return counted <= most; }
};

/// Sectors moved, in bytes, over the bytes that have to move.
Goal bytes_moved(double most);

/// Lanes that do an atomic on global memory, per element of the first array.
Goal atomics_per_element(double most);

/// Load instructions of a warp per FMA of a warp; `fmas` is how many FMAs sizes ask for.
Goal loads_per_fma(double most, double (*fmas)(const std::vector<int>& sizes));

}  // namespace judge
