// Settings from the environment, read once, when the process first asks.
//
//   CUCPU_THREADS=N        threads of the host that run blocks (default: all cores)
//   CUCPU_SMS=N            number of SMs that the device reports, to make a launch as large as on
//                          some GPU (default: one per thread of those)
//   CUCPU_ORDER=ascending|descending|random:SEED
//                          the order in which the runnable threads of a block run
//   CUCPU_TIMEOUT=SECONDS  ends a launch in which no block ends for so long (default 30; 0: never)
//   CUCPU_TOOLS=TOOL,...   tools that watch the program:
//                            counters   print each launch's counts at exit, as a GPU's profiler
//                                       would count
//                            memcheck   find accesses out of bounds, misaligned, or of
//                                       freed memory; list memory that is never freed
//                            racecheck  find accesses of two threads that nothing orders
//                            initcheck  find reads of memory that was never written
//                            synccheck  find barriers and shuffles that not all threads reach
//                            all        all of these
//                            leakcheck  memcheck; memory that is never freed is an error, too
//                            accesses   write each request of the first block of each launch to
//                                       CUCPU_JSON, with the addresses of its lanes
//   CUCPU_JSON=FILE        write the tools' results there, one JSON object per line
//   CUCPU_DRAW=FILE        draw the requests of the program's warps: a page of HTML
#pragma once

#include <cstdint>
#include <string>

namespace cucpu {

enum class ThreadOrder { ascending, descending, random };

struct Tools {
  bool counters = false;
  bool memcheck = false;
  bool racecheck = false;
  bool initcheck = false;
  bool synccheck = false;
  bool leakcheck = false;
  bool accesses = false;
  bool draw = false;

  bool count() const { return counters || accesses || draw; }
  bool check_memory() const { return memcheck || initcheck || racecheck; }
  bool check() const { return check_memory() || racecheck || synccheck; }
  bool any() const { return count() || check(); }
};

struct Settings {
  int workers;
  int multiprocessors;
  ThreadOrder order;
  std::uint64_t seed;
  unsigned timeout_seconds;
  Tools tools;
  std::string json_file;  // empty: none
  std::string draw_file;  // empty: none
};

// Ends the process with exit code 2 and one `error:` line if a value makes no sense.
const Settings& settings();

}  // namespace cucpu
