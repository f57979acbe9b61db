#include "harness/launch.h"

#include <cuda_profiler_api.h>

#include <fmt/core.h>
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "device/backend.h"
#include "device/check.h"

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

using Seconds = std::chrono::duration<double>;

// A device that works without a pause can come to its power limit, and then lowers its clock: what
// came first would have been measured at another clock than what came last. So a long launch is
// followed by a rest.
void rest_after(Seconds busy) {
  constexpr Seconds kLong{0.005}, kLongestRest{0.06};
  if (device::kIsCpu || busy < kLong) return;
  std::this_thread::sleep_for(std::min(3 * busy, kLongestRest));
}

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

device::Timing time_launches(const problem::Launch& launch, problem::DeviceData& data,
                             const device::Stream& stream, device::L2Flush& flush,
                             std::size_t warmup, std::size_t repeats) {
  device::Stopwatch watch(stream.get());
  const auto time_once = [&] {
    // The flush comes last: while the device is busy with it, the host gets ahead, and the launch
    // itself is not what is timed.
    data.poison_output(stream.get());
    flush(stream.get());
    const auto before = std::chrono::steady_clock::now();
    watch.time([&] { launch_once(launch, data, stream); });
    rest_after(std::chrono::steady_clock::now() - before);
    const std::string fault = data.red_zone_fault();
    if (!fault.empty()) throw std::runtime_error(fault);
  };
  for (std::size_t i = 0; i < warmup; ++i) time_once();
  watch.reset();
  const ProfilerRange range;
  for (std::size_t i = 0; i < repeats; ++i) time_once();
  return watch.timing();
}

std::string roof_fault(double rate, double roof) {
  constexpr double kTolerance = 1.02;
  if (rate <= kTolerance * roof) return {};
  return fmt::format("measuring error: {:.4g} G/s is above the roof of {:.4g} G/s", rate, roof);
}

std::string clock_fault(const device::Clocks& clocks) {
  constexpr double kTolerance = 0.97;
  if (clocks.lowest >= kTolerance * clocks.highest) return {};
  return fmt::format("measuring error: the clock fell from {} to {} MHz", clocks.highest,
                     clocks.lowest);
}

}  // namespace harness
