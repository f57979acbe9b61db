#include "tools.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "counters.h"
#include "cucpu/trace.h"
#include "recorder.h"
#include "settings.h"

namespace cucpu::trace {
namespace {

class Recorders final : public ObserverFactory {
 public:
  std::unique_ptr<Observer> make() override { return std::make_unique<Recorder>(); }
  bool wants(const Grid& grid) override { return grid.task.traced && is_counting(); }
  void end_launch(const Grid& grid) override { end_counted_launch(grid); }
};

// What the environment asked for goes to stderr, and to CUCPU_JSON.
void report_counters() {
  const std::vector<LaunchCounters> launches = take_counters();
  for (const LaunchCounters& launch : launches) std::fprintf(stderr, "%s", table(launch).c_str());
  const std::string& file = settings().json_file;
  if (file.empty()) return;
  std::ofstream out(file);
  for (const LaunchCounters& launch : launches) out << to_json(launch) << '\n';
  if (!out.flush()) {
    std::fprintf(stderr, "error: CUCPU_JSON=%s: cannot be written\n", file.c_str());
    std::_Exit(2);
  }
}

}  // namespace

void start_tools() {
  if (observers != nullptr) return;
  static Recorders recorders;
  observers = &recorders;
  if (!settings().tools.counters) return;
  start_counting();
  std::atexit(report_counters);
}

}  // namespace cucpu::trace
