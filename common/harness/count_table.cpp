#include "harness/count_table.h"

#include <fmt/core.h>
#include <cmath>
#include <optional>
#include <vector>

#include "harness/figures.h"

namespace harness {
namespace {

constexpr int kStatusWidth = 7;
constexpr int kValueWidth = 8;
constexpr int kChangeWidth = 7;

std::string right(std::string_view text, int width) { return fmt::format("{:>{}}", text, width); }

std::string left(std::string_view text, int width) { return fmt::format("{:<{}}", text, width); }

std::string value_text(double value, bool is_count) {
  constexpr double kWidest = 1e7;
  if (value >= kWidest) return fmt::format("{:.1f}M", value * 1e-6);
  if (is_count || value >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value < 1 && value > 0 ? 3 : 2);
}

// 256, 12, 1.5: a factor of at least 1.
std::string factor_text(double factor) {
  if (factor >= 9999.5) return fmt::format("{:.0f}k", factor * 1e-3);
  const bool is_whole = factor >= 9.95 || std::abs(factor - std::round(factor)) < 0.05;
  return fmt::format("{:.{}f}", factor, is_whole ? 0 : 1);
}

// A name that is too long takes room from the status.
std::string name_and_status(const std::string& name, const std::string& status) {
  return left(left(name, kNameWidth) + " " + status, kNameWidth + 1 + kStatusWidth);
}

std::string head_of(const std::string& name, const std::vector<FigureKind>& kinds) {
  std::string line = name_and_status(name, "status");
  for (const FigureKind& kind : kinds) line += right(kind.heading, kValueWidth + kChangeWidth);
  return line + "\n";
}

}  // namespace

std::string change(double before, double now) {
  if (before == 0) return now == 0 ? "" : "new";
  if (now == 0) return "gone";
  const double factor = now / before;
  if (std::abs(factor - 1) < 0.005) return "=";
  if (std::abs(factor - 1) < 0.05) return fmt::format("{:.2f}x", factor);
  return factor > 1 ? factor_text(factor) + "x" : "1/" + factor_text(1 / factor);
}

std::string CountTable::head(const std::string& name, std::string_view problem) {
  return head_of(name, figure_kinds(problem));
}

std::string CountTable::head(const std::string& name, const Result& result) {
  return head_of(name, figure_kinds(result));
}

std::string CountTable::row(const std::string& name, const Result& result) {
  const Result* origin = nullptr;
  if (result.grows_from) {
    const auto found = before_.find(*result.grows_from);
    if (found != before_.end() && found->second.shape == result.shape) origin = &found->second;
  }
  std::string line = name_and_status(name, result.status);
  const std::vector<FigureKind> kinds = figure_kinds(result);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::optional<double>& value = result.figures[i].value;
    std::string changed;
    if (value && origin != nullptr && i < origin->figures.size() &&
        origin->figures[i].name == result.figures[i].name && origin->figures[i].value) {
      changed = change(*origin->figures[i].value, *value);
    }
    line += right(value ? value_text(*value, kinds[i].is_count) : "-", kValueWidth);
    line += right(changed, kChangeWidth);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  before_[result.variant] = result;
  return line + "\n";
}

std::string CountTable::legend(std::string_view problem) {
  constexpr int kHeadingWidth = 14;
  std::string lines;
  for (const FigureKind& kind : figure_kinds(problem)) {
    lines += fmt::format("  {:<{}}  {}\n", kind.heading, kHeadingWidth, kind.meaning);
  }
  return lines;
}

std::string CountTable::changes() {
  return "1/4, 2x, =: a quarter of, twice, the same as the kernel that it grows from\n";
}

}  // namespace harness
