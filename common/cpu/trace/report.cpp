// Counters as text.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cucpu/trace.h"

namespace cucpu::trace {
namespace {

using Json = nlohmann::ordered_json;

template <class... Values>
std::string format(const char* form, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

std::string extent(dim3 d) {
  std::string text = "(" + std::to_string(d.x);
  if (d.y != 1 || d.z != 1) text += "," + std::to_string(d.y);
  if (d.z != 1) text += "," + std::to_string(d.z);
  return text + ")";
}

Json json_of(const AccessCount& c, bool global) {
  Json json;
  json["requests"] = c.requests;
  if (global) {
    json["sectors"] = c.sectors;
    json["sectors_per_request"] = c.sectors_per_request();
    json["efficiency"] = c.efficiency();
  } else {
    json["wavefronts"] = c.wavefronts;
    json["conflicts"] = c.conflicts;
    json["words"] = c.words;
  }
  json["threads"] = c.threads;
  json["bytes"] = c.bytes;
  return json;
}

Json json_of(const Counters& c) {
  Json json;
  json["global_load"] = json_of(c.global_load, true);
  json["global_store"] = json_of(c.global_store, true);
  json["global_atomic"] = json_of(c.global_atomic, true);
  json["shared_load"] = json_of(c.shared_load, false);
  json["shared_store"] = json_of(c.shared_store, false);
  json["shared_atomic"] = json_of(c.shared_atomic, false);
  json["barriers"] = c.barriers;
  json["warp_syncs"] = c.warp_syncs;
  json["shuffles"] = c.shuffles;
  json["votes"] = c.votes;
  return json;
}

// Counts have 12 digits at most; what is larger is rounded.
std::string number(std::uint64_t n) {
  if (n < 1'000'000'000) return std::to_string(n);
  return format("%.4gG", static_cast<double>(n) / 1e9);
}

std::string row(const char* name, const AccessCount& c, bool global) {
  if (c.requests == 0) return {};
  std::string text = format("  %-14s %10s %10s %8.2f", name, number(c.requests).c_str(),
                            number(global ? c.sectors : c.wavefronts).c_str(),
                            global ? c.sectors_per_request() : c.wavefronts_per_request());
  text += global ? format(" %9.0f%%", 100 * c.efficiency())
                 : format(" %10s", number(c.conflicts).c_str());
  return text + format(" %6.3g %8.3g\n", c.width(), c.threads_per_request());
}

std::string rows(const Counters& c) {
  const std::string global = row("global load", c.global_load, true) +
                             row("global store", c.global_store, true) +
                             row("global atomic", c.global_atomic, true);
  const std::string shared = row("shared load", c.shared_load, false) +
                             row("shared store", c.shared_store, false) +
                             row("shared atomic", c.shared_atomic, false);
  std::string text;
  const auto head = [](const char* units, const char* last) {
    return format("  %-14s %10s %10s %8s %10s %6s %8s\n", "", "requests", units, "per req.", last,
                  "bytes", "threads");
  };
  if (!global.empty()) text += head("sectors", "efficiency") + global;
  if (!shared.empty()) text += head("wavefronts", "conflicts") + shared;
  return text;
}

std::string synchronization(const Counters& c) {
  std::string text;
  const auto add = [&](const char* name, std::uint64_t count) {
    if (count != 0)
      text += format("%s%s %s", text.empty() ? "" : ", ", name, number(count).c_str());
  };
  add("barriers", c.barriers);
  add("warp syncs", c.warp_syncs);
  add("shuffles", c.shuffles);
  add("votes", c.votes);
  return text;
}

// The accesses and operations of a source line, in a few words each.
std::vector<std::string> brief(const Counters& c) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const AccessCount& a, double units, const char* unit) {
    if (a.requests != 0)
      parts.push_back(format("%s %s x %.3g %s", name, number(a.requests).c_str(), units, unit));
  };
  const auto global = [&](const char* name, const AccessCount& a) {
    add(name, a, a.sectors_per_request(), "sectors");
  };
  const auto shared = [&](const char* name, const AccessCount& a) {
    add(name, a, a.wavefronts_per_request(), "wavefronts");
  };
  global("load", c.global_load);
  global("store", c.global_store);
  global("atomic", c.global_atomic);
  shared("shared load", c.shared_load);
  shared("shared store", c.shared_store);
  shared("shared atomic", c.shared_atomic);
  const std::string waits = synchronization(c);
  if (!waits.empty()) parts.push_back(waits);
  return parts;
}

std::string place(const LineCounters& line) {
  return std::filesystem::path(line.file).filename().string() + ":" + std::to_string(line.line);
}

}  // namespace

std::string to_json(const Counters& counters) { return json_of(counters).dump(); }

std::string to_json(const LaunchCounters& launch) {
  Json json;
  json["type"] = "launch";
  json["kernel"] = launch.kernel;
  json["grid"] = {launch.grid.x, launch.grid.y, launch.grid.z};
  json["block"] = {launch.block.x, launch.block.y, launch.block.z};
  json["counters"] = json_of(launch.counters);
  json["lines"] = Json::array();
  for (const LineCounters& line : launch.lines)
    json["lines"].push_back(
        {{"file", line.file}, {"line", line.line}, {"counters", json_of(line.counters)}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string table(const LaunchCounters& launch) {
  constexpr std::size_t kColumns = 80;
  std::string text = launch.kernel + " <<<" + extent(launch.grid) + ", " + extent(launch.block) +
                     ">>>\n" + rows(launch.counters);
  const std::string waits = synchronization(launch.counters);
  if (!waits.empty()) text += "  " + waits + "\n";
  std::size_t width = 0;
  for (const LineCounters& line : launch.lines) width = std::max(width, place(line).size());
  width = std::min<std::size_t>(width, 28);
  for (const LineCounters& line : launch.lines) {
    std::string name = place(line);
    for (const std::string& part : brief(line.counters)) {
      const std::string one =
          format("    %-*s  %s", static_cast<int>(width), name.c_str(), part.c_str());
      text += one.substr(0, kColumns) + "\n";
      name.clear();  // what else the line does stands below
    }
  }
  return text;
}

std::string tables(const std::vector<LaunchCounters>& launches) {
  std::string text;
  for (std::size_t first = 0, next = 0; first < launches.size(); first = next) {
    std::string one = table(launches[first]);
    for (next = first + 1; next < launches.size() && table(launches[next]) == one;) ++next;
    if (next > first + 1) one.insert(one.find('\n'), " x " + std::to_string(next - first));
    text += one;
  }
  return text;
}

}  // namespace cucpu::trace
