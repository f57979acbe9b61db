#include "judge/verdict.h"

#include <sys/resource.h>

#include <fmt/core.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "device/backend.h"
#include "host/temporary_folder.h"
#include "judge/advice.h"
#include "judge/build.h"
#include "judge/diagnosis.h"
#include "judge/drawing.h"
#include "judge/folder.h"
#include "judge/practice.h"
#include "judge/process.h"
#include "judge/sanitizer.h"

namespace judge {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kTools = "memcheck,racecheck,initcheck,synccheck";

RunnerSettings runner_settings(const fs::path& program, const fs::path& findings,
                               const JudgeSettings& settings) {
  RunnerSettings runner{.command = {program.string()},
                        .environment = {},
                        .tools = "",
                        .is_watched = JUDGE_WATCHES,
                        .seconds = settings.seconds,
                        .memory_bytes = kMemoryToJudge,
                        .seed = settings.seed};
  if (!JUDGE_WATCHES) return runner;
  const auto whole = static_cast<long>(settings.seconds + 1);
  runner.tools = kTools;
  // A grid may be as large as the device: the counts are the same wherever they are made.
  runner.environment = {{"CUCPU_SMS", "4"},
                        {"CUCPU_TOOLS", kTools},
                        {"CUCPU_JSON", findings.string()},
                        {"CUCPU_TIMEOUT", std::to_string(whole)}};
  return runner;
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
  return fmt::format("{}:{}", finding.value("file", ""),
                     finding.value(line, finding.value("line", 0)));
}

// The first and the last of the lines that a finding names.
struct Lines {
  int first, last;
  bool has(int line) const { return line == first || line == last; }
};
Lines lines_of(const Json& finding) {
  const int line = finding.value("line", 0), other = finding.value("other_line", line);
  return {std::min(line, other), std::max(line, other)};
}

// Whether both lines of a possible race are lines of the reported one, as where threads write the
// same value at a line and others read it too early. To name these lines again tells nothing new.
bool is_told_by(const Json& reported, const Json& warning) {
  if (reported.value("kind", "") != "race" ||
      reported.value("file", "") != warning.value("file", ""))
    return false;
  const Lines told = lines_of(reported), possible = lines_of(warning);
  return told.has(possible.first) && told.has(possible.last);
}

std::string note_on(const Json& warning) {
  const auto [first, last] = lines_of(warning);
  const std::string file = warning.value("file", "");
  if (first == last) return fmt::format("a possible race at {}:{}", file, first);
  return fmt::format("a possible race between {}:{} and {}:{}", file, first, file, last);
}

void read_findings(const fs::path& findings, const Source& source, const fs::path& name,
                   Verdict& verdict) {
  std::vector<std::string> lines;
  std::ifstream file(source.file);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  std::vector<Json> warnings;
  std::ifstream in(findings);
  for (std::string line; std::getline(in, line);) {
    Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded()) continue;
    // Findings in a file that has another name for the compiler.
    if (name != fs::absolute(source.file) && json.value("file", "") == name.string())
      json["file"] = source.shown_as;
    const std::string type = json.value("type", "");
    if (type != "finding" && type != "warning") continue;
    // The judge sees itself which calls of the API fail, and gives them other names.
    if (json.value("kind", "") == "api_error") continue;
    if (json.value("kind", "") == "leak")
      verdict.notes.push_back("solve allocates memory that it never frees");
    else if (is_before_swap(json, lines))
      verdict.notes.push_back("the value read without an atomic function at " +
                              file_and_line(json, "other_line") +
                              " may be out of date; the atomicCAS that follows notices that");
    else if (type == "warning")
      warnings.push_back(std::move(json));
    else
      verdict.findings.push_back(std::move(json));
  }
  // The first finding is the one that the verdict is about.
  for (const Json& warning : warnings)
    if (verdict.findings.empty() || !is_told_by(verdict.findings.front(), warning))
      verdict.notes.push_back(note_on(warning));
  std::sort(verdict.notes.begin(), verdict.notes.end());
  verdict.notes.erase(std::unique(verdict.notes.begin(), verdict.notes.end()), verdict.notes.end());
}

// The checkers' reports begin with "=========", and an empty one of these ends each of them.
constexpr std::string_view kReportMark = "=========";

// Splits what the process printed: the first report, of an error if there is one, and the last
// lines of all else.
void read_output(std::string output, const Source& source, const fs::path& name, Verdict& verdict) {
  constexpr std::size_t kMostLines = 20;
  if (name != fs::absolute(source.file))
    for (std::size_t at; (at = output.find(name.string())) != std::string::npos;)
      output.replace(at, name.string().size(), source.shown_as);
  std::deque<std::string> printed;
  std::vector<std::string> reports(1);
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(kReportMark)) {
      printed.push_back(line);
      if (printed.size() > kMostLines) printed.pop_front();
    } else if (line == kReportMark) {
      if (!reports.back().empty()) reports.emplace_back();
    } else if (!line.starts_with("========= Leaked") &&
               line.find("SUMMARY:") == std::string::npos) {
      reports.back() += line + "\n";
    }
  }
  const auto error = std::find_if(reports.begin(), reports.end(), [](const std::string& report) {
    return !report.empty() && !report.starts_with("========= Warning");
  });
  verdict.report = error == reports.end() ? reports.front() : *error;
  for (const std::string& line : printed) verdict.printed += line + "\n";
}

void add_reason(Verdict& verdict, const std::string& reason, const std::string& text) {
  auto& reasons = verdict.reasons;
  if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
  if (!text.empty() && verdict.message.find(text) == std::string::npos)
    verdict.message += text + "\n";
}

// Reads the end of a process that was stopped, or ended where it should not.
void read_end(const ProcessEnd& end, double seconds, Verdict& verdict) {
  if (end.stopped == ProcessEnd::Stopped::time)
    return add_reason(verdict, "timeout",
                      fmt::format("solve does not come to an end: stopped after {:g} s", seconds));
  if (end.stopped == ProcessEnd::Stopped::memory)
    return add_reason(verdict, "memory", "solve takes more than 4 GiB of memory: stopped");
  if (end.signal != 0)
    return add_reason(verdict, "crash",
                      std::string("the host's side of solve crashes: ") + strsignal(end.signal));
  add_reason(verdict, "exit", "solve ends the process: it has to return");
}

// A guess at the cause of an error that the runtime only names. For a launch that cannot
// be, it has the one or the other name, as its version has it.
const char* explanation_of(const std::string& error) {
  if (error.find("cudaErrorInvalidConfiguration") != std::string::npos)
    return ": a block has 1 to 1024 threads, and a grid at least one block, and at most 65535 in y "
           "and in z";
  if (error.find("cudaErrorInvalidValue") != std::string::npos)
    return ": such as a launch of no blocks, or of more than 1024 threads per block, or a copy "
           "between "
           "pointers that cannot be";
  return "";
}

// "C[5] is 7, expected 6 (wrong: 3 of 1000 elements)"
std::string text_of(const Exercise& exercise, const Fault& fault) {
  const Array& array = exercise.arrays[exercise.output()];
  const Mismatch& mismatch = *fault.mismatch;
  const std::size_t count = array.count(fault.name.run.sizes);
  // A sum with what was there before is a NaN of the same bits.
  const std::string text =
      fmt::format("{}[{}] is {}, expected {}", array.name, mismatch.index,
                  got_text(exercise, mismatch), text_of(array.element, mismatch.expected));
  if (count == 1) return text;
  return fmt::format("{} (wrong: {} of {} elements)", text, mismatch.wrong, count);
}

void read_failure(const Exercise& exercise, double seconds, Verdict& verdict) {
  for (const Json& finding : verdict.findings)
    add_reason(
        verdict,
        finding.at("tool").get<std::string>() + " (" + finding.at("kind").get<std::string>() + ")",
        "");
  if (!verdict.check.fault) return;
  const Fault& fault = *verdict.check.fault;
  for (const auto& [reason, what] : fault.reasons) {
    std::string text = what;
    if (reason == "launch") text = "the CUDA runtime reports " + text + explanation_of(text);
    if (reason == "crash") text = "solve throws " + text;
    if (reason == "timeout")
      text = fmt::format("a kernel does not come to an end: stopped after {:g} s", seconds);
    add_reason(verdict, reason, text);
  }
  if (fault.mismatch) add_reason(verdict, "result", text_of(exercise, fault));
}

// Every access is looked at, which takes its time.
constexpr double kSecondsToSanitize = 120;

void run_sanitizer(const Exercise& exercise, const RunnerSettings& settings, Verdict& verdict) {
  for (const char* tool : kSanitizerTools) {
    RunnerSettings watched = settings;
    watched.command.insert(watched.command.begin(), {"compute-sanitizer", "--tool", tool});
    watched.is_watched = true;
    watched.seconds = kSecondsToSanitize;
    watched.memory_bytes = 0;  // it has a copy of whatever it watches
    const CheckResult result = check(exercise, watched);
    SanitizerOutput output = read_sanitizer(tool, result.end.output);
    verdict.report = output.first_report;
    for (Json& finding : output.findings) verdict.findings.push_back(std::move(finding));
    // Findings of the other tools may be its consequences, and each tool takes its time.
    if (!verdict.findings.empty()) return;
  }
}

// If blocks handle the same elements, the checker misses an atomic function, and the learner a part
// of the index.
void drop_other_advice(Verdict& verdict) {
  if (!verdict.diagnosis.starts_with("Several blocks")) return;
  std::istringstream in(std::exchange(verdict.report, ""));
  for (std::string line; std::getline(in, line);)
    if (line.find("Blocks run in any order") == std::string::npos) verdict.report += line + "\n";
}

// The checkers keep what they know of each address at an address of its own.
void refuse_limited_addresses() {
  rlimit limit{};
  constexpr rlim_t kEnough = rlim_t{4} << 40;
  if (!JUDGE_WATCHES || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= kEnough) return;
  throw MachineFault(fmt::format(
      "the address space is limited to {} MiB (ulimit -v), and the checkers need terabytes of "
      "addresses, though little memory: lift the limit",
      limit.rlim_cur >> 20));
}

BuildResult build_one(const Exercise& exercise, const Source& source, const fs::path& folder,
                      const fs::path& program) {
  try {
    return build(exercise, {source}, folder, program);
  } catch (const host::CannotStart& error) {
    throw MachineFault(std::string("the compiler cannot be run: ") + error.what());
  }
}

// A faded solution that is not complete need not compile.
Verdict with_gaps(const std::vector<std::size_t>& gaps) {
  Verdict verdict;
  verdict.status = Verdict::Status::todo;
  std::string lines;
  for (const std::size_t line : gaps) lines += fmt::format("{}{}", lines.empty() ? "" : ", ", line);
  const std::string what = gaps.size() == 1 ? "line " + lines + " is" : "lines " + lines + " are";
  add_reason(verdict, "todo", what + " still to be written");
  return verdict;
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

std::string got_text(const Exercise& exercise, const Mismatch& mismatch) {
  return text_of(exercise.arrays[exercise.output()].element, mismatch.got.number) +
         (mismatch.unwritten ? " (not written?)" : "");
}

Verdict judge_program(const Exercise& exercise, const Source& source, const fs::path& name,
                      const fs::path& program,
                      const std::vector<std::pair<std::string, std::string>>& environment,
                      const fs::path& folder, const JudgeSettings& settings) {
  Verdict verdict;
  const fs::path findings = folder / "findings.jsonl";
  RunnerSettings runner = runner_settings(program, findings, settings);
  runner.environment.insert(runner.environment.end(), environment.begin(), environment.end());
  refuse_limited_addresses();
  try {
    verdict.check = check(exercise, runner);
    // The findings of a process that has to be stopped later on are lost with it.
    const auto& fault = verdict.check.fault;
    if (fault && fault->has_findings && verdict.check.end.stopped != ProcessEnd::Stopped::no) {
      runner.last_case = fault->name.number;
      verdict.check = check(exercise, runner);
    }
    read_output(verdict.check.end.output, source, name, verdict);
    read_findings(findings, source, name, verdict);
    if (settings.sanitize && !device::kIsCpu) run_sanitizer(exercise, runner, verdict);
  } catch (const host::CannotStart& error) {
    throw MachineFault(error.what());
  }

  const CheckResult& result = verdict.check;
  const bool is_done = !result.fault && !result.has_ended_early;
  const bool ended_well = result.end.stopped == ProcessEnd::Stopped::no && result.end.signal == 0 &&
                          (result.end.code == 0 || !verdict.findings.empty());
  if (is_done && verdict.findings.empty() && ended_well) {
    if (JUDGE_WATCHES) {
      verdict.advice = advise(exercise, result);
      verdict.goals = goals_of(exercise, result);
    }
    verdict.status = Verdict::Status::pass;
    return verdict;
  }
  read_failure(exercise, settings.seconds, verdict);
  if (result.has_ended_early && (!result.fault || !result.fault->has_findings) &&
      verdict.reasons.empty())
    read_end(result.end, settings.seconds, verdict);
  if (verdict.reasons.empty() && result.fault && result.fault->has_findings)
    add_reason(verdict, "forged",
               "the checkers found errors, and what they say of them is gone: solve has to leave "
               "the process's end alone");
  if (verdict.reasons.empty()) read_end(result.end, settings.seconds, verdict);
  verdict.diagnosis = diagnose(exercise, verdict, read_file(source.file));
  drop_other_advice(verdict);
  const bool is_todo = result.fault && result.fault->is_untouched && verdict.findings.empty() &&
                       has_todo(source.file);
  verdict.status = is_todo ? Verdict::Status::todo : Verdict::Status::fail;
  return verdict;
}

Verdict judge_file(const Exercise& exercise, const Source& source, const JudgeSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  if (const auto gaps = gaps_in(read_file(source.file)); !gaps.empty()) return with_gaps(gaps);
  const host::TemporaryFolder folder("judge");
  const fs::path program = folder.path() / "solution";
  const BuildResult built = build_one(exercise, source, folder.path(), program);
  Verdict verdict;
  if (!built.reason.empty()) {
    add_reason(verdict, built.reason, built.message);
  } else {
    verdict =
        judge_program(exercise, source, built.names.front(), program, {}, folder.path(), settings);
    if (!built.message.empty()) verdict.notes.insert(verdict.notes.begin(), built.message);
    if (!settings.drawing.empty())
      verdict.notes.push_back(
          draw(exercise, verdict, program, folder.path(), settings, settings.drawing));
  }
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return verdict;
}

int useful_hint(const Verdict& verdict) {
  const std::string reason = verdict.reasons.empty() ? "" : verdict.reasons.front();
  // A fault inside a kernel that is nearly right is about its structure.
  for (const char* checker : {"memcheck", "racecheck", "initcheck", "synccheck", "timeout"})
    if (reason.starts_with(checker)) return 2;
  return 1;
}

}  // namespace judge
