#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace judge {

/// Accesses of one kind, summed: what `CUCPU_JSON` has of them.
struct Accesses {
  double requests = 0;    ///< of warps
  double threads = 0;     ///< that took part
  double bytes = 0;       ///< that these asked for
  double sectors = 0;     ///< global memory
  double used = 0;        ///< bytes of the sectors that some thread asked for
  double wavefronts = 0;  ///< shared memory
  double conflicts = 0;   ///< those of them that are too many

  void add(const nlohmann::ordered_json& group);
  double lanes() const { return requests == 0 ? 0 : threads / requests; }
  double width() const { return threads == 0 ? 0 : bytes / threads; }
};

/// Loads, stores and atomic functions.
struct Traffic {
  Accesses load, store, atomic;
  double requests() const { return load.requests + store.requests + atomic.requests; }
  double threads() const { return load.threads + store.threads + atomic.threads; }
};

/// The accesses of a source line in all launches.
struct LineCounts {
  std::string place;  ///< "relu.cu:12"
  std::string file;   ///< as the compiler names it
  int line = 0;
  Traffic global, shared;
};

struct LaunchCounts {
  std::string kernel;
  double blocks = 0;   ///< of the grid
  double threads = 0;  ///< of a block
  double grid[3] = {}, block[3] = {};
  double barriers = 0, shuffles = 0;
  Traffic global, shared;

  double all_threads() const { return blocks * threads; }
};

/// All launches of a case.
struct Counted {
  explicit Counted(const nlohmann::ordered_json& launches);

  std::vector<LaunchCounts> launches;
  std::vector<LineCounts> lines;
  Traffic global, shared;
  double barriers = 0, shuffles = 0, blocks = 0;

  /// The launch that accesses memory most; there has to be one.
  const LaunchCounts& main_launch() const;
  /// The counts of the line with that number; null if it accesses nothing.
  const LineCounts* line(int number) const;
};

}  // namespace judge
