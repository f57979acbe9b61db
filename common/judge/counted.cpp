#include "judge/counted.h"

#include <fmt/core.h>
#include <algorithm>
#include <filesystem>

#include "judge/goal.h"

namespace judge {
namespace {

using Json = nlohmann::ordered_json;

void add(const Json& counters, Traffic& global, Traffic& shared) {
  global.load.add(counters.at("global_load"));
  global.store.add(counters.at("global_store"));
  global.atomic.add(counters.at("global_atomic"));
  shared.load.add(counters.at("shared_load"));
  shared.store.add(counters.at("shared_store"));
  shared.atomic.add(counters.at("shared_atomic"));
}

LaunchCounts read_launch(const Json& json) {
  LaunchCounts launch;
  launch.kernel = json.at("kernel").get<std::string>();
  launch.blocks = launch.threads = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    launch.blocks *= launch.grid[i] = json.at("grid").at(i).get<double>();
    launch.threads *= launch.block[i] = json.at("block").at(i).get<double>();
  }
  launch.barriers = json.at("counters").at("barriers").get<double>();
  launch.shuffles = json.at("counters").at("shuffles").get<double>();
  add(json.at("counters"), launch.global, launch.shared);
  return launch;
}

}  // namespace

void Accesses::add(const Json& group) {
  requests += group.at("requests").get<double>();
  threads += group.at("threads").get<double>();
  bytes += group.at("bytes").get<double>();
  const double its_sectors = group.value("sectors", 0.0);
  sectors += its_sectors;
  used += group.value("efficiency", 0.0) * kSectorBytes * its_sectors;
  wavefronts += group.value("wavefronts", 0.0);
  conflicts += group.value("conflicts", 0.0);
}

Counted::Counted(const Json& json) {
  for (const Json& one : json) {
    const LaunchCounts& launch = launches.emplace_back(read_launch(one));
    add(one.at("counters"), global, shared);
    barriers += launch.barriers;
    shuffles += launch.shuffles;
    blocks += launch.blocks;
    for (const Json& its : one.at("lines")) {
      const auto file = its.at("file").get<std::string>();
      const int number = its.at("line").get<int>();
      auto known = std::find_if(lines.begin(), lines.end(), [&](const LineCounts& line) {
        return line.line == number && line.file == file;
      });
      if (known == lines.end()) {
        const std::string place =
            fmt::format("{}:{}", std::filesystem::path(file).filename().string(), number);
        known = lines.insert(lines.end(), {place, file, number, {}, {}});
      }
      add(its.at("counters"), known->global, known->shared);
    }
  }
}

const LaunchCounts& Counted::main_launch() const {
  return *std::max_element(launches.begin(), launches.end(), [](const auto& a, const auto& b) {
    return a.global.requests() < b.global.requests();
  });
}

const LineCounts* Counted::line(int number) const {
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const LineCounts& line) { return line.line == number; });
  return found == lines.end() ? nullptr : &*found;
}

}  // namespace judge
