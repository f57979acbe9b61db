#include "harness/claims.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "device/check.h"
#include "device/stream.h"
#include "harness/launch.h"

namespace harness {
namespace {

// The text of a line of a step's file; empty if there is none. The file is looked for by its path
// inside the folder `steps`: what comes before that need not be this source tree, as a compiler's
// cache may hand out debug information that was made elsewhere.
std::string source_line(const std::filesystem::path& file, unsigned number) {
  std::filesystem::path inside;
  for (const std::filesystem::path& part : file) {
    inside = part == "steps" ? std::filesystem::path() : inside / part;
  }
  std::ifstream source(std::filesystem::path(TUTORIAL_STEPS_DIR) / inside);
  std::string line;
  for (unsigned i = 0; i < number; ++i) {
    if (!std::getline(source, line)) return {};
  }
  return line;
}

}  // namespace

const LaunchCounters& Count::launch() const {
  REQUIRE(launches.size() == 1);
  return launches.front();
}

Counters Count::at(std::string_view text) const {
  Counters sum;
  bool found = false;
  for (const LaunchCounters& launch : launches) {
    for (const cucpu::trace::LineCounters& line : launch.lines) {
      if (source_line(line.file, line.line).find(text) == std::string::npos) continue;
      sum += line.counters;
      found = true;
    }
  }
  INFO("no line that was counted contains: ", std::string(text));
  REQUIRE(found);
  return sum;
}

Count count(const std::function<void()>& call) {
  REQUIRE(cucpu::trace::is_traced());
  cucpu::trace::start_counting();
  call();
  CUDA_CHECK(cudaDeviceSynchronize());
  Count count;
  count.launches = cucpu::trace::take_counters();
  for (const LaunchCounters& launch : count.launches) count += launch.counters;
  return count;
}

Count count_variant(const problem::Problem& problem, const problem::Launch& launch,
                    const problem::Shape& shape, const problem::Offsets& offsets) {
  const problem::Inputs inputs(problem, shape, {});
  problem::DeviceData data(inputs, offsets);
  const device::Stream stream;
  Count counted = count([&] {
    const Checked checked = launch_and_check(launch, data, stream);
    REQUIRE_MESSAGE(checked.fault.empty(), checked.fault);
  });
  counted.output = data.download_output();
  return counted;
}

}  // namespace harness
