#include "access_log.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "source_lines.h"

namespace cucpu::trace {
namespace {

struct LoggedLaunch {
  std::string kernel;
  std::vector<LoggedRequest> requests;
};

struct Logged {
  std::mutex mutex;
  std::vector<LoggedRequest> launch;  // of the one under way
  std::vector<LoggedLaunch> launches;
};
Logged& logged() {
  static Logged& l = *new Logged;  // workers may outlive static objects
  return l;
}

constexpr const char* kKinds[] = {"load", "store", "atomic"};

}  // namespace

void AccessLog::add(const Row& row, unsigned warp, Space space, std::uint32_t lanes,
                    std::uint64_t units) {
  LoggedRequest request{.warp = warp,
                        .space = space,
                        .kind = row.kind(),
                        .is_copy = row.way == Way::copy,
                        .bytes = row.bytes(),
                        .lanes = lanes,
                        .units = units,
                        .code = row.code(),
                        .addresses = {}};
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((lanes >> lane & 1) != 0) request.addresses.push_back(row.address[lane]);
  requests_.push_back(std::move(request));
}

void AccessLog::place(const std::vector<Extent>& global, const Extent& static_shared,
                      const Extent& dynamic_shared) {
  for (LoggedRequest& request : requests_) {
    const Extent* memory = &static_shared;
    if (request.space == Space::global) {
      // None: of the heap from which kernels allocate.
      memory = find_extent(global, request.addresses.front());
      request.memory = memory == nullptr ? 0 : static_cast<unsigned>(memory - global.data() + 1);
    } else if (!static_shared.contains(request.addresses.front())) {
      memory = &dynamic_shared;
    }
    if (memory == nullptr) continue;
    for (std::uint64_t& address : request.addresses) address -= memory->begin;
  }
}

void AccessLog::end_launch() {
  if (requests_.empty()) return;
  Logged& all = logged();
  const std::lock_guard lock(all.mutex);
  std::move(requests_.begin(), requests_.end(), std::back_inserter(all.launch));
  requests_.clear();
}

void end_logged_launch(const char* kernel) {
  Logged& all = logged();
  const std::lock_guard lock(all.mutex);
  all.launches.push_back({kernel, std::exchange(all.launch, {})});
}

std::vector<std::string> accesses_as_json() {
  Logged& all = logged();
  const std::lock_guard lock(all.mutex);
  std::vector<std::uintptr_t> code;
  for (const LoggedLaunch& launch : all.launches)
    for (const LoggedRequest& request : launch.requests) code.push_back(request.code);
  std::sort(code.begin(), code.end());
  code.erase(std::unique(code.begin(), code.end()), code.end());
  const auto lines = source_lines(code);

  std::vector<std::string> text;
  for (std::size_t number = 0; number < all.launches.size(); ++number) {
    for (const LoggedRequest& r : all.launches[number].requests) {
      const SourceLine& line = lines.at(r.code);
      nlohmann::ordered_json json;
      json["type"] = "access";
      json["launch"] = number;
      json["kernel"] = all.launches[number].kernel;
      json["warp"] = r.warp;
      json["space"] = r.space == Space::global ? "global" : "shared";
      json["kind"] = kKinds[static_cast<int>(r.kind)];
      if (r.is_copy) json["copy"] = true;
      json["bytes"] = r.bytes;
      json["lanes"] = r.lanes;
      json[r.space == Space::global ? "sectors" : "wavefronts"] = r.units;
      if (r.space == Space::global) json["memory"] = r.memory;
      json["offsets"] = r.addresses;
      json["file"] = line.file;
      json["line"] = line.line;
      text.push_back(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    }
  }
  return text;
}

}  // namespace cucpu::trace
