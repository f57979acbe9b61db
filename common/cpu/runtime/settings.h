// What the environment may set: read once, when the process first asks.
//
//   CUCPU_THREADS=N        threads of the host that run blocks (default: all cores)
//   CUCPU_SMS=N            multiprocessors that the device says it has, where a launch is to be as
//                          large as on some GPU (default: one for each of those threads)
//   CUCPU_ORDER=ascending|descending|random:SEED
//                          the order in which the runnable threads of a block run
//   CUCPU_TIMEOUT=SECONDS  a launch in which no block ends for so long is ended (default 30; 0:
//   never)
//   CUCPU_TOOLS=TOOL,...   what else the program is to do while it runs:
//                            counters   print at exit what each launch did, as a GPU's profiler
//                                       would count it
//                            memcheck   find accesses out of bounds, misaligned, or of
//                                       freed memory; tell of memory that is not freed
//                            racecheck  find accesses that nothing puts in an order
//                            initcheck  find reads of memory that was never written
//                            synccheck  find barriers and shuffles that not all threads reach
//                            all        all of these
//                            leakcheck  memcheck, to which memory that is not freed is an error
//                            accesses   write each request of the first block of each launch to
//                                       CUCPU_JSON, with the addresses of its lanes
//   CUCPU_JSON=FILE        what the tools found, one JSON object a line
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

  bool count() const { return counters || accesses; }
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
};

// Ends the process with exit code 2 and one `error:` line if a value makes no sense.
const Settings& settings();

}  // namespace cucpu
