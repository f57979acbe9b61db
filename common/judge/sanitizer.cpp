#include "judge/sanitizer.h"

#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>

namespace judge {
namespace {

using Json = nlohmann::ordered_json;

// The kind of a report that begins with `title`; empty for what is no finding, such as errors of
// API calls, which the judge sees itself.
std::string kind_of(const std::string& title, const std::string& report) {
  const auto has = [](const std::string& text, const char* word) {
    return text.find(word) != std::string::npos;
  };
  if (has(title, "Uninitialized")) return "uninitialized";
  if (has(title, "Race reported") || has(title, "hazard")) return "race";
  if (has(title, "Barrier error"))
    return has(report, "mask") ? "invalid_mask" : "barrier_divergence";
  if (!title.starts_with("Invalid")) return {};
  if (has(report, "misaligned")) return "misaligned";
  return has(report, "free") ? "use_after_free" : "out_of_bounds";
}

// The tool's own words, and how the host came to launch the kernel.
bool is_no_finding(const std::string& text) {
  if (text.starts_with("COMPUTE-SANITIZER")) return true;
  for (const char* words : {"SUMMARY:", "host backtrace", "Host Frame"})
    if (text.find(words) != std::string::npos) return true;
  return false;
}

// "at relu_kernel in relu.cu:11", and of a race the other side's.
void add_places(const std::string& report, Json& finding) {
  const std::regex place(R"(at (\w+) in ([^\n]*?):(\d+))");
  const std::sregex_iterator first(report.begin(), report.end(), place), end;
  if (first == end) return;
  finding["kernel"] = first->str(1);
  finding["file"] = first->str(2);
  finding["line"] = std::stoi(first->str(3));
  if (const auto second = std::next(first); second != end && finding.at("kind") == "race")
    finding["other_line"] = std::stoi(second->str(3));
}

// A line of a report, in which "at void k<4>(float *, int)+0x80 in my.cu:3" is "at k in my.cu:3".
std::string without_offsets(const std::string& line) {
  static const std::regex offset(R"(at (?:void )?(\w+)([<(][^\n]*)?\+0x[0-9a-f]+)");
  return std::regex_replace(line, offset, "at $1");
}

}  // namespace

SanitizerOutput read_sanitizer(const std::string& tool, const std::string& output) {
  // A report's first line has one space after the mark, those that follow have more.
  const std::string mark = "========= ";
  std::vector<std::pair<std::string, std::string>> reports;  // title, all lines
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(mark)) continue;
    const std::string text = line.substr(mark.size());
    if (is_no_finding(text)) continue;
    if (!text.starts_with(' ')) reports.emplace_back(text, "");
    if (reports.empty()) continue;
    // A race has a line for each instruction that takes part, many of one line of the source.
    std::string& report = reports.back().second;
    const std::string shorter = without_offsets(line) + "\n";
    if (report.find(shorter.substr(0, shorter.find(" ["))) == std::string::npos) report += shorter;
  }
  SanitizerOutput result;
  for (const auto& [title, report] : reports) {
    const std::string kind = kind_of(title, report);
    if (kind.empty()) continue;
    Json finding = {{"type", "finding"}, {"tool", tool}, {"kind", kind}};
    add_places(report, finding);
    if (result.findings.empty()) result.first_report = report;
    auto& all = result.findings;
    if (std::find(all.begin(), all.end(), finding) == all.end()) all.push_back(std::move(finding));
  }
  return result;
}

}  // namespace judge
