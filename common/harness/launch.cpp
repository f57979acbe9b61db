#include "harness/launch.h"

#include <cuda_profiler_api.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "device/check.h"
#include "device/event.h"

namespace harness {
namespace {

void launch_once(const problem::Launch& launch, const problem::DeviceData& data,
                 const device::Stream& stream) {
  launch(data.operands(), stream.get());
  CUDA_CHECK(cudaGetLastError());
}

// Everything between its construction and its end is what a profiler is to look at.
class ProfilerRange {
 public:
  ProfilerRange() { CUDA_CHECK(cudaProfilerStart()); }
  ~ProfilerRange() { cudaProfilerStop(); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace

Checked launch_and_check(const problem::Launch& launch, problem::DeviceData& data,
                         const device::Stream& stream) {
  Checked checked;
  try {
    data.poison_output(stream.get());
    launch_once(launch, data, stream);
    stream.synchronize();
    checked.fault = data.red_zone_fault();
    checked.verdict = data.check_output();
  } catch (const device::Error& error) {
    checked.fault = error.what();
  }
  if (checked.fault.empty()) checked.fault = checked.verdict.describe();
  return checked;
}

Timing time_launches(const problem::Launch& launch, problem::DeviceData& data,
                     const device::Stream& stream, device::L2Flush& flush, std::size_t warmup,
                     std::size_t repeats) {
  device::Event start, stop;
  const auto launch_ms = [&] {
    // The flush comes last: while the device is busy with it, the host gets ahead, and the launch
    // itself is not what is timed.
    data.poison_output(stream.get());
    flush(stream.get());
    start.record(stream.get());
    launch_once(launch, data, stream);
    stop.record(stream.get());
    stop.synchronize();
    const std::string fault = data.red_zone_fault();
    if (!fault.empty()) throw std::runtime_error(fault);
    return stop.ms_since(start);
  };
  for (std::size_t i = 0; i < warmup; ++i) launch_ms();
  std::vector<double> times_ms;
  const ProfilerRange range;
  for (std::size_t i = 0; i < repeats; ++i) times_ms.push_back(launch_ms());
  return summarize(std::move(times_ms));
}

Timing summarize(std::vector<double> times_ms) {
  std::sort(times_ms.begin(), times_ms.end());
  const std::size_t middle = times_ms.size() / 2;
  const bool odd = times_ms.size() % 2 == 1;
  return {
      .repeats = times_ms.size(),
      .median_ms = odd ? times_ms[middle] : (times_ms[middle - 1] + times_ms[middle]) / 2,
      .min_ms = times_ms.front(),
      .max_ms = times_ms.back(),
  };
}

std::string roof_fault(double rate, double roof) {
  constexpr double kTolerance = 1.02;
  if (rate <= kTolerance * roof) return {};
  char text[120];
  std::snprintf(text, sizeof text, "measuring error: %.4g G/s is above the roof of %.4g G/s", rate,
                roof);
  return text;
}

}  // namespace harness
