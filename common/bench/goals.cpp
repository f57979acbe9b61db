#include "bench/goals.h"

#include <fmt/core.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "host/command_line.h"
#include "ladder_table.h"

namespace bench {
namespace {

using harness::Result;
using Shape = std::vector<std::size_t>;

// Goals of one title: a table of their own.
struct Group {
  std::string title;
  std::string step;
  Against against;
  std::vector<Goal> rows;
};

std::vector<Group> groups() {
  std::vector<Group> all;
  for (const Goal& goal : kGoals) {
    if (all.empty() || all.back().title != goal.title) {
      all.push_back({goal.title, goal.step, goal.against, {}});
    }
    all.back().rows.push_back(goal);
  }
  return all;
}

// "4097x4095x4099", "2^28".
std::string text_of(const Shape& shape) {
  if (shape.size() == 1 && std::has_single_bit(shape[0])) {
    return fmt::format("2^{}", std::countr_zero(shape[0]));
  }
  std::string text;
  for (const std::size_t size : shape) text += fmt::format("{}{}", text.empty() ? "" : "x", size);
  return text;
}

struct Reached {
  double value = 0;
  std::string against;  // who was the fastest
};

std::optional<Reached> reached_by(const Result& result, Against against) {
  constexpr double kPercent = 100, kGigaPerTera = 1000;
  const auto part = [](const std::optional<double>& value, double whole) {
    return value ? std::optional<Reached>({*value / whole, ""}) : std::nullopt;
  };
  switch (against) {
    case Against::library:
      return part(result.percent_of_baseline, kPercent);
    case Against::roof:
      return part(result.percent_of_roof, kPercent);
    case Against::roof_at_size:
      return part(result.percent_of_roof_at_size, kPercent);
    case Against::nothing:
      return part(result.gflop_per_s, kGigaPerTera);
    case Against::peers:
      break;
  }
  std::optional<Reached> reached = part(result.percent_of_baseline, kPercent);
  if (reached) reached->against = result.baseline.value_or("");
  return reached;
}

struct Best {
  std::string variant;
  Reached reached;
  std::size_t runs = 0;
};

using Worst = std::map<std::pair<std::string, std::string>, Best>;  // by device and variant

Worst worst_runs(const Group& group, const Goal& row, const std::vector<Result>& results) {
  Worst variants;
  for (const Result& result : results) {
    if (result.step != group.step || shape_of(result) != row.size) continue;
    if (result.status != "pass") continue;
    const std::optional<Reached> reached = reached_by(result, group.against);
    if (!reached) continue;
    Best& worst = variants
                      .try_emplace({result.device, result.variant},
                                   Best{.variant = result.variant, .reached = *reached})
                      .first->second;
    if (reached->value < worst.reached.value) worst.reached = *reached;
    ++worst.runs;
  }
  return variants;
}

// The worst run of each variant, and of these the best. If there are peers, a variant has to
// have been measured beside them, too.
std::optional<Best> best_of(const Group& group, const Goal& row, const std::vector<Result>& results,
                            const std::vector<Result>& peers) {
  const bool has_peers = group.against == Against::peers && !peers.empty();
  const Worst beside_peers = worst_runs(group, row, peers);
  std::optional<Best> best;
  for (auto [device_and_variant, worst] : worst_runs(group, row, results)) {
    if (has_peers) {
      const auto beside = beside_peers.find(device_and_variant);
      if (beside == beside_peers.end()) continue;
      const Reached& reached = beside->second.reached;
      if (reached.value < worst.reached.value) worst.reached = reached;
    }
    if (!best || worst.reached.value > best->reached.value) best = worst;
  }
  return best;
}

std::string verdict(const Best& best, const Goal& row) {
  if (row.aim > 0 && best.reached.value >= row.aim) return "aim";
  if (row.goal == 0) return "below";
  return best.reached.value >= row.goal ? "goal" : "missed";
}

std::string line(const std::string& what, const std::string& kernel, const std::string& reached,
                 const std::string& goal, const std::string& aim, const std::string& said) {
  return fmt::format("{:<16} {:<32} {:>7} {:>5} {:>5}  {}\n", what, kernel, reached, goal, aim,
                     said);
}

std::string number(double value, int digits) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

// Writes the rows of a group; returns how often its kernels were run at most.
std::size_t add_rows(const Group& group, const std::vector<Result>& results,
                     const std::vector<Result>& peers, std::string& rows) {
  std::size_t most_runs = 0;
  const bool rate = group.against == Against::nothing;
  for (const Goal& row : group.rows) {
    const std::string what = "  " + text_of(row.size);
    const std::string goal = number(row.goal, 2);
    const std::string aim = number(row.aim, rate ? 0 : 2);
    const std::optional<Best> best = best_of(group, row, results, peers);
    if (!best) {
      rows += line(what, "-", "-", goal, aim, "-");
      continue;
    }
    const std::string& against = best->reached.against;
    const std::string kernel = best->variant + (against.empty() ? "" : " / " + against);
    rows += line(what, kernel, number(best->reached.value, rate ? 1 : 3), goal, aim,
                 verdict(*best, row));
    most_runs = std::max(most_runs, best->runs);
  }
  return most_runs;
}

}  // namespace

Shape shape_of(const Result& result) {
  Shape shape;
  for (const auto& [name, size] : result.shape) shape.push_back(size);
  return shape;
}

std::vector<Result> read_results(const std::string& option, const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw host::UsageError(fmt::format("{} {}: {}; allowed: a file that --record has written",
                                       option, path, std::strerror(errno)));
  }
  std::vector<Result> results;
  std::string text;
  for (std::size_t number = 1; std::getline(file, text); ++number) {
    try {
      Result result = harness::from_json(text);
      if (!result.measuring_error) results.push_back(std::move(result));
    } catch (const std::runtime_error& error) {
      throw host::UsageError(
          fmt::format("{} {}: line {} is {}; allowed: a file that --record has written", option,
                      path, number, error.what()));
    }
  }
  if (results.empty()) {
    throw host::UsageError(fmt::format(
        "{} {}: has no result; allowed: a file that --record has written", option, path));
  }
  return results;
}

std::string goal_table(const std::vector<Result>& results, const std::vector<Result>& peers) {
  std::string table, missing;
  std::size_t most_runs = 0;
  for (const Group& group : groups()) {
    std::string rows;
    const std::size_t runs = add_rows(group, results, peers, rows);
    (runs > 0 ? table : missing) +=
        runs > 0 ? group.title + "\n" + rows : "not measured: " + group.title + "\n";
    most_runs = std::max(most_runs, runs);
  }
  std::set<std::string> devices;
  for (const Result& result : results) devices.insert(result.device);
  std::string on;
  for (const std::string& device : devices) on += (on.empty() ? " on " : ", ") + device;
  const std::string runs =
      most_runs == 1 ? "one run" : fmt::format("the worst of {} runs", most_runs);
  const std::string with = peers.empty() ? "; of the peers cuDNN alone" : "";
  return "goals, " + runs + on + with + "\n" + line("", "kernel", "reached", "goal", "aim", "is") +
         table + missing;
}

}  // namespace bench
