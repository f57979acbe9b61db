// roofs: the highest rates that this device was seen to reach, each by a probe that does nothing
// else.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "device/backend.h"
#include "device/check.h"
#include "device/info.h"
#include "device/roof.h"
#include "harness/launch.h"
#include "harness/program.h"
#include "harness/report.h"
#include "host/command_line.h"
#include "host/program_end.h"

namespace {

struct Probe {
  const char* name;
  int reads, writes;
};

constexpr Probe kTraffic[] = {
    {"read", 1, 0}, {"write", 0, 1}, {"copy", 1, 1}, {"two_reads_one_write", 2, 1}};

harness::Result result_of(const char* name, const device::Roof& roof) {
  harness::Result result;
  result.step = "roofs";
  result.variant = name;
  result.backend = device::kBackendName;
  int current = 0;
  CUDA_CHECK(cudaGetDevice(&current));
  result.device = device::info(current).name;
  result.status = "pass";
  result.repeats = roof.timing.repeats;
  result.median_ms = roof.timing.median_ms;
  result.min_ms = roof.timing.min_ms;
  result.max_ms = roof.timing.max_ms;
  if (roof.timing.clocks) {
    result.sm_clock_mhz = roof.timing.clocks->lowest;
    const std::string fault = harness::clock_fault(*roof.timing.clocks);
    if (!fault.empty()) result.measuring_error = fault;
  }
  return result;
}

harness::Result measure(const Probe& probe, std::size_t bytes_per_array) {
  const device::Roof roof = device::measure_bandwidth(probe.reads, probe.writes, bytes_per_array);
  harness::Result result = result_of(probe.name, roof);
  result.shape = {{"bytes", bytes_per_array}};
  result.bytes = roof.work;
  result.gb_per_s = roof.rate();
  return result;
}

harness::Result measure_arithmetic() {
  const device::Roof roof = device::measure_ffma();
  harness::Result result = result_of("ffma", roof);
  result.flops = roof.work;
  result.gflop_per_s = roof.rate();
  return result;
}

int run(bool json, int device_index, std::size_t bytes) {
  CUDA_CHECK(cudaSetDevice(device_index));
  if (!json) std::fputs(harness::table_head("roofs", false).c_str(), stdout);
  const auto show = [&](const harness::Result& result) {
    const std::string line = json ? harness::to_json(result) + "\n"
                                  : harness::table_row("  " + result.variant, result, false);
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
  };
  for (const Probe& probe : kTraffic) show(measure(probe, bytes));
  show(measure_arithmetic());
  if (device::kIsCpu && !json) {
    std::printf(
        "A CPU's figures: the probes are made for a GPU, and say nothing of this machine.\n");
  }
  return host::kAllRight;
}

}  // namespace

int main(int argc, char** argv) {
  return host::run_main([&] {
    host::CommandLine line("roofs", "Measures the highest rates that this device reaches.");
    line.flag("--quick", "over 64 MiB instead of 4 GiB");
    line.flag("--json", "one JSON object per line and probe");
    harness::declare_device(line);
    line.parse(argc, argv);
    if (const std::string answer = line.answer(); !answer.empty()) {
      std::fputs(answer.c_str(), stdout);
      return host::kAllRight;
    }
    const int index = harness::parse_device(line.value("--device"));
    if (device::count() == 0) {
      host::print_error(device::why_no_device());
      return host::kNoDevice;
    }
    constexpr std::size_t kQuick = std::size_t{64} << 20;
    const std::size_t bytes = device::bandwidth_probe_bytes();
    return run(line.given("--json"), index,
               line.given("--quick") && bytes > kQuick ? kQuick : bytes);
  });
}
