#include "judge/sanitizer.h"

#include <algorithm>
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

// "at relu_kernel(float *, int)+0x80 in relu.cu:11"
void add_place(const std::string& report, Json& finding) {
  std::smatch match;
  const std::regex place(R"(at (\w+)[^\n]* in ([^\n]*?):(\d+))");
  if (!std::regex_search(report, match, place)) return;
  finding["kernel"] = match[1].str();
  finding["file"] = match[2].str();
  finding["line"] = std::stoi(match[3].str());
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
    const bool continues = text.starts_with(" ");
    if (!continues && text.find("SUMMARY:") == std::string::npos &&
        !text.starts_with("COMPUTE-SANITIZER"))
      reports.emplace_back(text, "");
    if (!reports.empty()) reports.back().second += line + "\n";
  }
  SanitizerOutput result;
  for (const auto& [title, report] : reports) {
    const std::string kind = kind_of(title, report);
    if (kind.empty()) continue;
    Json finding = {{"type", "finding"}, {"tool", tool}, {"kind", kind}};
    add_place(report, finding);
    if (result.findings.empty()) result.first_report = report;
    auto& all = result.findings;
    if (std::find(all.begin(), all.end(), finding) == all.end()) all.push_back(std::move(finding));
  }
  return result;
}

}  // namespace judge
