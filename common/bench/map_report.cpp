#include "bench/map_report.h"

#include <fmt/core.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace bench {
namespace {

std::string describe(const nlohmann::ordered_json& shape) {
  std::string text;
  for (const auto& [name, size] : shape.items()) {
    text += (text.empty() ? "" : "x") + size.dump();
  }
  return text;
}

}  // namespace

MapReport::MapReport(std::string name, const std::vector<std::string>& lines)
    : name_(std::move(name)), measured_(lines.size()) {
  for (const std::string& line : lines) {
    const auto json = nlohmann::ordered_json::parse(line);
    if (json.at("status") == "fail") ++wrong_;
    if (!json.contains("peer_ms")) continue;
    ratios_.push_back({json.at("peer_ms").get<double>() / json.at("ms").get<double>(),
                       describe(json.at("shape"))});
  }
  std::sort(ratios_.begin(), ratios_.end(),
            [](const Ratio& a, const Ratio& b) { return a.value < b.value; });
}

std::string MapReport::text(std::size_t wanted) const {
  constexpr std::size_t kWorst = 10;
  std::string text = fmt::format("{}: {} of {} shapes measured, {} of them wrong\n", name_,
                                 measured_, wanted, wrong_);
  if (ratios_.empty()) return text + "  no peer\n";
  const std::size_t count = ratios_.size();
  text += fmt::format("  median {:.3f}, 5th percentile {:.3f}, worst {:.3f}; the worst:\n",
                      ratios_[count / 2].value, ratios_[count / 20].value, ratios_[0].value);
  for (std::size_t i = 0; i < std::min(kWorst, count); ++i) {
    text += fmt::format("    {:.3f}  {}\n", ratios_[i].value, ratios_[i].shape);
  }
  return text;
}

}  // namespace bench
