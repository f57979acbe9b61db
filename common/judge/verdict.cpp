#include "judge/verdict.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "device/backend.h"
#include "host/temporary_folder.h"
#include "judge/advice.h"
#include "judge/build.h"
#include "judge/folder.h"
#include "judge/process.h"
#include "judge/sanitizer.h"

namespace judge {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMemoryToJudge = std::size_t{4} << 30;
constexpr double kMostCases = 6;  // that may take all of their time

std::vector<std::pair<std::string, std::string>> watching(const fs::path& findings,
                                                          double seconds) {
  if (!JUDGE_WATCHES) return {};
  const auto whole = static_cast<long>(seconds + 1);
  return {{"CUCPU_TOOLS", "memcheck,racecheck,initcheck,synccheck"},
          {"CUCPU_JSON", findings.string()},
          {"CUCPU_TIMEOUT", std::to_string(whole)},
          // Allocations that end where the arrays end show more than red zones do.
          {"TUTORIAL_GUARDS", "off"}};
}

// A plain read of what other threads change by atomicCAS is no fault if the thread's own atomicCAS
// comes next, as in the usual loops: that one fails where the value is not the one any more.
bool is_before_swap(const Json& finding, const std::vector<std::string>& lines) {
  if (finding.value("access", "") != "Atomic access" ||
      finding.value("other_access", "") != "Read access")
    return false;
  const auto has_swap = [&](std::size_t line) {
    return line > 0 && line <= lines.size() &&
           lines[line - 1].find("atomicCAS") != std::string::npos;
  };
  const std::size_t swap = finding.value("line", 0u), read = finding.value("other_line", swap);
  constexpr std::size_t kNear = 8;  // lines, as a loop of the kind takes
  return has_swap(swap) && read <= swap && swap - read <= kNear;
}

std::string file_and_line(const Json& finding, const char* line) {
  return finding.value("file", "") + ":" +
         std::to_string(finding.value(line, finding.value("line", 0)));
}

void read_findings(const fs::path& findings, const fs::path& file, Verdict& verdict) {
  std::vector<std::string> lines;
  std::ifstream source(file);
  for (std::string line; std::getline(source, line);) lines.push_back(line);
  std::ifstream in(findings);
  for (std::string line; std::getline(in, line);) {
    Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded()) continue;
    const std::string type = json.value("type", "");
    if (type != "finding" && type != "warning") continue;
    if (json.value("kind", "") == "leak")
      verdict.notes.push_back("solve allocates memory that it never frees");
    else if (is_before_swap(json, lines))
      verdict.notes.push_back("what is read without an atomic function at " +
                              file_and_line(json, "other_line") +
                              " may be out of date; the atomicCAS that follows notices that");
    else if (type == "warning")
      verdict.notes.push_back("a possible race at " + file_and_line(json, "line"));
    else
      verdict.findings.push_back(std::move(json));
  }
  std::sort(verdict.notes.begin(), verdict.notes.end());
  verdict.notes.erase(std::unique(verdict.notes.begin(), verdict.notes.end()), verdict.notes.end());
}

// The checkers' reports begin with "=========", and an empty one of these ends each of them.
constexpr std::string_view kReportMark = "=========";

// Splits what the process printed: the first report, and the last lines of all else.
void read_output(const std::string& output, Verdict& verdict) {
  constexpr std::size_t kMostLines = 20;
  std::deque<std::string> printed;
  bool has_report = false;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(kReportMark)) {
      printed.push_back(line);
      if (printed.size() > kMostLines) printed.pop_front();
    } else if (line == kReportMark) {
      has_report |= !verdict.report.empty();
    } else if (!has_report && !line.starts_with("========= Leaked") &&
               line.find("SUMMARY:") == std::string::npos) {
      verdict.report += line + "\n";
    }
  }
  for (const std::string& line : printed) verdict.printed += line + "\n";
}

void add_reason(Verdict& verdict, const std::string& reason, const std::string& text) {
  auto& reasons = verdict.reasons;
  if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
  if (!text.empty() && verdict.message.find(text) == std::string::npos)
    verdict.message += text + "\n";
}

std::string format_seconds(double seconds) {
  std::ostringstream text;
  text << seconds << " s";
  return text.str();
}

// The verdict on a process that was stopped, or ended where it should not.
void read_end(const ProcessEnd& end, double seconds, Verdict& verdict) {
  if (end.stopped == ProcessEnd::Stopped::time)
    return add_reason(verdict, "timeout",
                      "solve does not come to an end: stopped after " + format_seconds(seconds));
  if (end.stopped == ProcessEnd::Stopped::memory)
    return add_reason(verdict, "memory", "solve takes more than 4 GiB of memory: stopped");
  if (end.signal != 0)
    return add_reason(verdict, "crash",
                      std::string("the host's side of solve crashes: ") + strsignal(end.signal));
  add_reason(verdict, "exit", "solve ends the process: it has to return");
}

// A guess at what the learner did, as the runtime only names the error. A launch that cannot be has
// one of two names, which depends on the version.
const char* explanation_of(const std::string& error) {
  if (error.find("cudaErrorInvalidConfiguration") != std::string::npos)
    return ": a block has 1 to 1024 threads, and a grid at least one block";
  if (error.find("cudaErrorInvalidValue") != std::string::npos)
    return ": such as a launch of no blocks, or of more than 1024 threads per block, or a copy "
           "between "
           "pointers that cannot be";
  return "";
}

void read_failure(double seconds, Verdict& verdict) {
  for (const Json& finding : verdict.findings)
    add_reason(
        verdict,
        finding.at("tool").get<std::string>() + " (" + finding.at("kind").get<std::string>() + ")",
        "");
  if (verdict.record.value("event", "") != "fail") return;
  if (verdict.record.contains("case")) verdict.run = verdict.record.at("case");
  for (const Json& json : verdict.record.at("reasons")) {
    const auto reason = json.get<std::string>();
    if (reason == "findings") continue;
    std::string text = verdict.record.value(reason, "");
    if (reason == "launch") text = "the CUDA runtime reports " + text + explanation_of(text);
    if (reason == "crash") text = "solve throws " + text;
    if (reason == "timeout")
      text = "a kernel does not come to an end: stopped after " + format_seconds(seconds);
    add_reason(verdict, reason, text);
  }
}

// Every access is looked at, which takes its time.
constexpr double kSecondsToSanitize = 120;

void run_sanitizer(const std::vector<std::string>& program, Verdict& verdict) {
  for (const char* tool : kSanitizerTools) {
    std::vector<std::string> command = {"compute-sanitizer", "--tool", tool};
    command.insert(command.end(), program.begin(), program.end());
    const ProcessEnd end =
        run_process(command, {{"TUTORIAL_GUARDS", "off"}}, {.all_seconds = kSecondsToSanitize},
                    [](const std::string&) {});
    if (!end.problem.empty()) throw std::runtime_error(end.problem);
    SanitizerOutput output = read_sanitizer(tool, end.output);
    verdict.report = output.first_report;
    for (Json& finding : output.findings) verdict.findings.push_back(std::move(finding));
    // Findings of the other tools may follow from these, and each tool takes its time.
    if (!verdict.findings.empty()) return;
  }
}

bool has_todo(const fs::path& file) { return read_file(file).find("TODO") != std::string::npos; }

}  // namespace

std::string_view name_of(Verdict::Status status) {
  switch (status) {
    case Verdict::Status::pass:
      return "pass";
    case Verdict::Status::fail:
      return "fail";
    case Verdict::Status::todo:
      return "todo";
  }
  return {};
}

Verdict judge_file(const Exercise& exercise, const fs::path& file, const std::string& shown_as,
                   double seconds, bool sanitize) {
  const auto start = std::chrono::steady_clock::now();
  const host::TemporaryFolder folder("judge");
  const fs::path program = folder.path() / "solution", findings = folder.path() / "findings.jsonl";
  Verdict verdict;
  const auto finish = [&](Verdict::Status status) {
    verdict.status = status;
    verdict.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return verdict;
  };

  const BuildResult built = build(exercise, file, shown_as, folder.path(), program);
  if (!built.reason.empty()) {
    add_reason(verdict, built.reason, built.message);
    return finish(Verdict::Status::fail);
  }
  if (!built.message.empty()) verdict.notes.push_back(built.message);

  Json found_at;  // the first case in which the checkers found something, and the result is right
  const auto take = [&](const std::string& line) {
    Json record = Json::parse(line, nullptr, false);
    if (record.is_discarded()) return;
    const std::string event = record.value("event", "");
    if (event == "findings")
      found_at = record.at("case");
    else
      (event == "case" ? verdict.run : verdict.record) = std::move(record);
    verdict.run.erase("event");
  };
  // The runtime stops a kernel after that time, and says which; the rest is for us.
  constexpr double kGrace = 3;
  const std::vector<std::string> command = {program.string(), std::string(exercise.name), "check"};
  const ProcessEnd end = run_process(command, watching(findings, seconds),
                                     {.seconds = seconds + kGrace,
                                      .all_seconds = kMostCases * seconds + kGrace,
                                      .memory_bytes = kMemoryToJudge},
                                     take);
  if (!end.problem.empty()) throw std::runtime_error(end.problem);
  read_output(end.output, verdict);
  read_findings(findings, file, verdict);

  const std::string event = verdict.record.value("event", "");
  const bool is_done = event == "done" && end.stopped == ProcessEnd::Stopped::no;
  if (sanitize && !device::kIsCpu) {
    run_sanitizer(command, verdict);
    // It does not say in which case.
    if (is_done && !verdict.findings.empty()) verdict.run = Json::object();
  }
  if (is_done && verdict.findings.empty() && end.signal == 0) {
    if (JUDGE_WATCHES) {
      const Json& launches = verdict.record.at("launches");
      const auto elements = verdict.record.at("elements").get<double>();
      const auto bytes = verdict.record.at("bytes").get<double>();
      verdict.advice = advise(exercise, launches, elements, bytes);
      verdict.goals = goals_of(exercise, launches, exercise.large_cpu, elements, bytes);
    }
    return finish(Verdict::Status::pass);
  }
  // Its later consequences, in larger cases, explain less.
  const bool found_first = !found_at.is_null() && !verdict.findings.empty();
  if (found_first) {
    verdict.run = found_at;
    verdict.record = Json::object();
  }
  read_failure(seconds, verdict);
  if (!is_done && !found_first && event != "fail") read_end(end, seconds, verdict);
  if (verdict.reasons.empty()) read_end(end, seconds, verdict);
  const bool untouched = event == "fail" && verdict.record.value("untouched", false);
  return finish(untouched && has_todo(file) ? Verdict::Status::todo : Verdict::Status::fail);
}

int useful_hint(const Verdict& verdict) {
  const std::string reason = verdict.reasons.empty() ? "" : verdict.reasons.front();
  // A fault inside a kernel that is nearly right is about its structure.
  for (const char* checker : {"memcheck", "racecheck", "initcheck", "synccheck", "timeout"})
    if (reason.starts_with(checker)) return 2;
  return 1;
}

}  // namespace judge
