// The message of a failed launch, in the layout of compute-sanitizer's reports.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "cucpu/site.h"
#include "observer.h"

namespace cucpu {

inline bool same_line(Site a, Site b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

std::string describe(Site site);                  // file.cu:12
std::string describe_lanes(std::uint32_t lanes);  // lane 3; lanes 0-3,7
std::string hex(std::uint32_t mask);              // 0x0000000f

// On stderr; lines that are too long for a terminal are broken.
void print_report(const std::string& text);
// Prints the report and has the launch fail with `error`, a cudaError_t. Called on a worker, which
// then abandons its block. It does that last, and not in here: the stack is left for good, and what
// strings on it have allocated would be lost.
void fail_launch(int error, const std::string& text);
// The same where threads do not meet as they should: at `site`, while others wait at `other`.
void fail_launch(SyncFault fault, int error, const std::string& text, Site site, Site other = {});

// The kernel, the place and the current thread: lines that follow the first one of a report.
std::string describe_thread(Site site);

// Makes faults of device code (bad addresses, stack overflow, launches that do not end) failures
// of the launch instead of the process. Once in a process; then for each thread that runs blocks.
void install_fault_handlers();
void prepare_thread_for_faults();
// Ends the launch for having taken too long. `one_runs`: the thread that says so was at work.
[[noreturn]] void end_for_timeout(bool one_runs);
// The signal that tells a worker that its launch has timed out.
int timeout_signal();

}  // namespace cucpu
