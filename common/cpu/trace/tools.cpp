#include "tools.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "access_log.h"
#include "allocations.h"
#include "counters.h"
#include "cucpu/trace.h"
#include "drawing/model.h"
#include "drawing/page.h"
#include "findings.h"
#include "global_races.h"
#include "grid.h"
#include "host/program_file.h"
#include "patterns.h"
#include "recorder.h"
#include "report.h"
#include "settings.h"
#include "shortage.h"
#include "state.h"
#include "stream_order.h"

namespace cucpu::trace {
namespace {

FindingKind kind_of(SyncFault fault) {
  switch (fault) {
    case SyncFault::barrier_divergence:
      return FindingKind::barrier_divergence;
    case SyncFault::invalid_mask:
      return FindingKind::invalid_mask;
    default:
      return FindingKind::deadlock;
  }
}

class Recorders final : public ObserverFactory {
 public:
  std::unique_ptr<Observer> make() override { return std::make_unique<Recorder>(); }
  bool wants(const Grid& grid) override {
    return grid.task.traced && (is_counting() || settings().tools.check());
  }
  void sync_fault(const Grid& grid, SyncFault fault, Site site, Site other) override {
    if (settings().tools.synccheck) count_printed(kind_of(fault), grid.task.name, site, other);
  }
  void freed(const void* begin, std::size_t bytes) override {
    if (settings().tools.racecheck)
      GlobalHistory::instance().forget(reinterpret_cast<std::uintptr_t>(begin), bytes);
  }
  void bad_free(const ApiCaller& caller, const void* pointer) override {
    if (settings().tools.memcheck)
      report_bad_free(caller, reinterpret_cast<std::uintptr_t>(pointer));
  }
  void api_error(const ApiError& error) override {
    if (settings().tools.memcheck) report_api_error(error);
  }
  void copy_from(const ApiCopy& copy) override {
    if (settings().tools.initcheck) report_uninitialized_source(copy);
  }
  void end_launch(const Grid& grid) override {
    if (is_counting()) end_counted_launch(grid);
    if (settings().tools.accesses) end_logged_launch(grid.task.name);
    if (settings().tools.draw) end_drawn_launch(grid);
    report_launch(grid);
  }
};

// Reports the accesses that racecheck had no room for.
void report_lost_history() {
  const std::uint64_t lost = LinkPool::lost().load();
  if (lost == 0) return;
  print_report(
      "========= Warning: racecheck ran out of room for what it remembers of each word's "
      "accesses\n=========     " +
      std::to_string(lost) +
      " accesses were not remembered: races with them are not found. Fewer "
      "threads, or more barriers or launches, need less\n=========");
}

// After a fault nothing can be freed any more.
void report_leaks() {
  if (sticky_error() != cudaSuccess) return;
  for (const Allocation& a : Allocations::instance().all())
    if (a.kind == MemoryKind::device || a.kind == MemoryKind::managed)
      report_leak(a.begin, a.bytes);
}

void write_json(const std::vector<LaunchCounters>& launches) {
  const std::string& file = settings().json_file;
  if (file.empty()) return;
  std::ofstream out(file);
  for (const LaunchCounters& launch : launches) out << to_json(launch) << '\n';
  for (const std::string& access : accesses_as_json()) out << access << '\n';
  for (const std::string& finding : findings_as_json()) out << finding << '\n';
  if (!out.flush()) {
    std::fprintf(stderr, "error: CUCPU_JSON=%s: cannot be written\n", file.c_str());
    std::_Exit(2);
  }
}

void write_drawing() {
  const std::string& file = settings().draw_file;
  const std::string program = host::program_file().filename().replace_extension().string();
  std::ofstream out(file);
  out << drawing::page(drawing::drawing_of(program, take_drawn_launches()));
  if (out.flush()) return;
  std::fprintf(stderr, "error: CUCPU_DRAW=%s: cannot be written\n", file.c_str());
  std::_Exit(2);
}

// Writes the reports that the environment asked for to stderr and to CUCPU_JSON. If they have an
// error, the program's exit code is 1.
void report_at_exit() {
  wait_for_all();
  const Tools tools = settings().tools;
  const std::vector<LaunchCounters> launches =
      tools.count() ? take_counters() : std::vector<LaunchCounters>();
  if (tools.counters) std::fprintf(stderr, "%s", tables(launches).c_str());
  if (tools.memcheck) report_leaks();
  if (tools.racecheck) report_lost_history();
  if (tools.check()) std::fprintf(stderr, "%s", summary().c_str());
  write_json(launches);
  if (tools.draw) write_drawing();
  if (found_errors() == 0) return;
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

void start_tools() {
  if (observers != nullptr) return;
  static Recorders recorders;
  observers = &recorders;
  if (!settings().tools.any()) return;
  end_for_any_shortage("the tools of CUCPU_TOOLS", "choose other ones");
  if (settings().tools.accesses && settings().json_file.empty())
    std::fprintf(stderr,
                 "note: CUCPU_TOOLS=accesses: nothing is written without CUCPU_JSON=FILE\n");
  if (settings().tools.count()) start_counting();
  std::atexit(report_at_exit);
}

}  // namespace cucpu::trace
