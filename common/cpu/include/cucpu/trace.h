// Counters of a traced program's launches, as a GPU's profiler would count them. The program that
// launches reads them; kernels do not know of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cucpu/dim3.h"

namespace cucpu::trace {

// Whether the kernels of this program report what they do: it has been built to, as a twin of a
// program that does not, and lies beside that as PROGRAM.traced.
bool is_traced();
// Replaces the process by the twin of its program, with these arguments (a null pointer last).
// Comes back only if that cannot be done, and says why.
std::string become_traced(char* const* arguments);

// Warp-wide accesses of one kind. A request is one access by all lanes that take part in it.
struct AccessCount {
  std::uint64_t requests = 0;
  std::uint64_t threads = 0;     // lanes that took part, summed over the requests
  std::uint64_t bytes = 0;       // asked for by each lane, summed over the lanes
  std::uint64_t bytes_used = 0;  // global: distinct bytes of each request
  // Global: distinct units of 32 bytes of each request; of an atomic one, each as often as lanes
  // take turns there.
  std::uint64_t sectors = 0;
  std::uint64_t wavefronts = 0;  // shared: passes over the 32 banks
  std::uint64_t conflicts = 0;   // shared: those of them that better addresses would save
  std::uint64_t words = 0;       // shared: distinct words of 4 bytes of each request

  double sectors_per_request() const { return ratio(sectors, requests); }
  double wavefronts_per_request() const { return ratio(wavefronts, requests); }
  double threads_per_request() const { return ratio(threads, requests); }
  double width() const { return ratio(bytes, threads); }  // bytes per lane
  double efficiency() const { return ratio(bytes_used, 32 * sectors); }
  AccessCount& operator+=(const AccessCount& other);

 private:
  static double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
  }
};

struct Counters {
  AccessCount global_load, global_store, global_atomic;
  AccessCount shared_load, shared_store, shared_atomic;
  std::uint64_t barriers = 0;    // of a block
  std::uint64_t warp_syncs = 0;  // __syncwarp: this and the next two once for each warp
  std::uint64_t shuffles = 0;
  std::uint64_t votes = 0;  // votes, matches and reductions
  Counters& operator+=(const Counters& other);
};

struct LineCounters {
  std::string file;
  unsigned line = 0;
  Counters counters;
};

struct LaunchCounters {
  std::string kernel;  // the plain function name
  dim3 grid, block;
  Counters counters;                // of the whole launch
  std::vector<LineCounters> lines;  // the costliest lines first, ten at most
};

// Starts to count; launches before it are not counted. Programs that are not traced count nothing.
void start_counting();
// The launches since start_counting() or the last call, in order; goes on counting.
std::vector<LaunchCounters> take_counters();
// Their sum alone: it needs no source lines, which take a while to look up.
Counters take_sum();

// Whether there are checkers among CUCPU_TOOLS.
bool is_checking();
// Errors that the checkers among CUCPU_TOOLS have found since the program began, in launches that
// have ended.
std::uint64_t found_errors();

// As JSON without line breaks; and as a table of at most 80 columns.
std::string to_json(const Counters& counters);
std::string to_json(const LaunchCounters& launch);
std::string table(const LaunchCounters& launch);
// The tables of launches; of equal ones in a row the first, with how many there are.
std::string tables(const std::vector<LaunchCounters>& launches);

// Whether this host thread may copy uninitialized memory without a report from initcheck; at first
// it may not. Returns what was set before.
bool allow_uninitialized_copies(bool allowed);

}  // namespace cucpu::trace
