// What the environment may set: read once, when the process first asks.
//
//   CUCPU_THREADS=N        threads of the host that run blocks (default: all cores)
//   CUCPU_ORDER=ascending|descending|random:SEED
//                          the order in which the runnable threads of a block run
//   CUCPU_TIMEOUT=SECONDS  a launch in which no block ends for so long is ended (default 30; 0:
//   never)
//   CUCPU_TOOLS=TOOL,...   what else the program is to do while it runs: `counters` prints at exit
//                          what each launch did, as a GPU's profiler would count it; `all`: all
//   CUCPU_JSON=FILE        what the tools found, one JSON object a line
#pragma once

#include <cstdint>
#include <string>

namespace cucpu {

enum class ThreadOrder { ascending, descending, random };

struct Tools {
  bool counters = false;
  bool any() const { return counters; }
};

struct Settings {
  int workers;
  ThreadOrder order;
  std::uint64_t seed;
  unsigned timeout_seconds;
  Tools tools;
  std::string json_file;  // empty: none
};

// Ends the process with exit code 2 and one `error:` line if a value makes no sense.
const Settings& settings();

}  // namespace cucpu
