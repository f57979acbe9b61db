#include "judge/grading.h"

#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "host/command_line.h"
#include "host/process.h"
#include "host/temporary_folder.h"
#include "judge/build.h"
#include "judge/folder.h"
#include "judge/process.h"
#include "judge/session.h"

namespace judge {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

void add_files(const fs::path& folder, std::string_view exercise, std::vector<Submission>& list) {
  for (const fs::path& file : sorted_entries(folder))
    if (file.extension() == ".cu" && fs::is_regular_file(file))
      list.push_back({std::string(exercise), file.stem().string(), file});
}

// FNV-1a: the same on every machine.
std::string hash_of(const fs::path& file) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char byte : read_file(file)) hash = (hash ^ byte) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The name as it comes back from a file of JSON.
std::string as_text(const std::string& name) { return Json::parse(dump(name)).get<std::string>(); }

using Key = std::pair<std::string, std::string>;  // exercise, learner

std::map<Key, Json> read_results(const fs::path& file) {
  std::map<Key, Json> known;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    // A line may be half written.
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const Key key(json.value("exercise", ""), json.value("learner", ""));
    known[key] = std::move(json);
  }
  return known;
}

// An earlier run's, so that all get the same inputs.
std::uint64_t seed_of(const std::map<Key, Json>& known, const GradeSettings& settings) {
  if (settings.seed) return *settings.seed;
  for (const auto& [key, grade] : known)
    if (grade.contains("seed")) return grade.at("seed").get<std::uint64_t>();
  constexpr std::uint64_t kMostSeed = std::uint64_t{1} << 62;
  return unpredictable() % kMostSeed;
}

struct Printed {
  std::string output, errors;
  host::ProcessEnd end;
};

std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(descriptor, buffer, sizeof buffer)) != 0;) {
    if (n > 0)
      text.append(buffer, static_cast<std::size_t>(n));
    else if (errno != EINTR)
      break;
  }
  return text;
}

// Errors are read when the process has ended: there are few lines of them.
Printed run_judge(const std::vector<std::string>& words, const fs::path& progress) {
  host::Pipe output, errors;
  const pid_t process =
      host::start(words, {.descriptors = {{output.writer.number(), STDOUT_FILENO},
                                          {errors.writer.number(), STDERR_FILENO}},
                          .environment = {{"JUDGE_PROGRESS", progress.string()}},
                          .ends_with_us = true});
  output.writer.close();
  errors.writer.close();
  Printed printed;
  printed.output = read_all(output.reader.number());
  printed.errors = read_all(errors.reader.number());
  printed.end = host::wait_for(process);
  return printed;
}

class Grading {
 public:
  Grading(const std::vector<Submission>& submissions, const GradeSettings& settings)
      : submissions_(submissions),
        settings_(settings),
        known_(read_results(settings.results)),
        seed_(seed_of(known_, settings)),
        progress_("grades"),
        results_(open(settings.results)),
        grades_(submissions.size()) {}

  std::vector<Grade> run() {
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < std::min(settings_.jobs, submissions_.size()); ++i)
      workers.emplace_back([this] { work(); });
    for (std::thread& worker : workers) worker.join();
    check_interruption();
    if (!failure_.empty()) throw MachineFault(failure_);
    return std::move(grades_);
  }

 private:
  static std::ofstream open(const fs::path& file) {
    // Half a line, of a run that was killed, becomes a line of its own.
    std::error_code error;
    const bool is_cut =
        fs::exists(file, error) && fs::file_size(file, error) > 0 && read_file(file).back() != '\n';
    std::ofstream out(file, std::ios::app);
    if (is_cut) out << '\n';
    if (!out.flush()) throw MachineFault(file.string() + ": cannot be written");
    return out;
  }

  void work() {
    try {
      for (std::size_t i; !stops_ && (i = next_++) < submissions_.size();) {
        check_interruption();
        finish(i, grade_of(submissions_[i]));
      }
    } catch (const Interrupted&) {
      stops_ = true;
    } catch (const std::exception& error) {
      stops_ = true;
      const std::lock_guard lock(mutex_);
      failure_ = error.what();
    }
  }

  Grade grade_of(const Submission& submission) {
    const std::string hash = hash_of(submission.file);
    const auto known = known_.find({submission.exercise, as_text(submission.learner)});
    if (known != known_.end() && known->second.value("hash", "") == hash &&
        known->second.value("seed", ~seed_) == seed_)
      return known->second;
    const Printed printed = run_judge(
        {fs::read_symlink("/proc/self/exe").string(), submission.exercise, submission.file.string(),
         "--json", "--seed", std::to_string(seed_), "--timeout", std::to_string(settings_.seconds)},
        progress_.path());
    check_interruption();
    Grade grade = {{"learner", submission.learner}, {"hash", hash}, {"seed", seed_}};
    const Json said = Json::parse(printed.output, nullptr, false);
    if (said.is_object()) {
      grade.update(said);
    } else {
      const std::string why =
          printed.end.signal != 0 ? strsignal(printed.end.signal) : "no verdict";
      grade.update({{"exercise", submission.exercise},
                    {"status", "error"},
                    {"message", printed.errors.empty() ? why : printed.errors}});
    }
    // The next time, the machine may be in order.
    if (grade.at("status") != "error") {
      const std::lock_guard lock(mutex_);
      results_ << dump(grade) << '\n';
      if (!results_.flush())
        throw MachineFault(settings_.results.string() + ": cannot be written: is the disk full?");
    }
    return grade;
  }

  void finish(std::size_t i, Grade grade) {
    const std::lock_guard lock(mutex_);
    if (settings_.json) {
      std::printf("%s\n", dump(grade).c_str());
    } else {
      const std::string status = grade.at("status").get<std::string>();
      const std::string why = status == "fail" ? grade.value("reason", "") : "";
      std::printf("%-22s %-24s %-5s %s\n", submissions_[i].exercise.c_str(),
                  submissions_[i].learner.c_str(), status.c_str(), why.c_str());
    }
    std::fflush(stdout);
    grades_[i] = std::move(grade);
  }

  const std::vector<Submission>& submissions_;
  const GradeSettings& settings_;
  const std::map<Key, Json> known_;
  const std::uint64_t seed_;
  const host::TemporaryFolder progress_;  // of learners, which is not ours
  std::ofstream results_;
  std::vector<Grade> grades_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stops_{false};
  std::mutex mutex_;
  std::string failure_;
};

// --- JUnit ---------------------------------------------------------------------------------------

// XML has no way to write most control characters.
std::string xml(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
      result += c;
  }
  return result;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string outcome_of(const Grade& grade) {
  const std::string status = grade.at("status").get<std::string>();
  const std::string diagnosis = grade.value("diagnosis", ""), message = grade.value("message", "");
  const std::string said = first_line(diagnosis.empty() ? message : diagnosis);
  if (status == "fail")
    return fmt::format(R"(<failure type="{}" message="{}">{}</failure>)",
                       xml(grade.value("reason", "")), xml(said), xml(diagnosis + "\n" + message));
  if (status == "todo") return "<skipped message=\"still to do\"/>";
  if (status == "error")
    return fmt::format(R"(<error message="{}">{}</error>)", xml(said), xml(message));
  return {};
}

std::string suite_of(const std::string& exercise, const std::vector<const Grade*>& grades) {
  double seconds = 0;
  std::map<std::string, int> count;
  std::string cases;
  for (const Grade* grade : grades) {
    const double own = grade->value("seconds", 0.0);
    seconds += own;
    ++count[grade->at("status").get<std::string>()];
    // Names are text by now, whatever bytes the file's has.
    cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">{}</testcase>\n", xml(exercise),
        xml(as_text(grade->at("learner").get<std::string>())), own, outcome_of(*grade));
  }
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n{}  </testsuite>\n",
      xml(exercise), grades.size(), count["fail"], count["error"], count["todo"], seconds, cases);
}

}  // namespace

std::vector<Submission> submissions_in(const fs::path& folder, const Exercise* exercise) {
  std::vector<Submission> list;
  if (exercise != nullptr) {
    add_files(folder, exercise->name, list);
  } else {
    for (const fs::path& entry : sorted_entries(folder)) {
      if (!fs::is_directory(entry)) continue;
      const std::string name = entry.filename().string();
      if (find_exercise(name) == nullptr)
        throw host::UsageError("--grade " + folder.string() + ": '" + name +
                               "' is no exercise; allowed: folders named like exercises, or "
                               "EXERCISE --grade FOLDER");
      add_files(entry, name, list);
    }
  }
  if (list.empty())
    throw host::UsageError("--grade " + folder.string() +
                           ": there is no .cu file; allowed: EXERCISE/LEARNER.cu in FOLDER, or "
                           "LEARNER.cu there and EXERCISE --grade FOLDER");
  return list;
}

std::vector<Grade> grade(const std::vector<Submission>& submissions,
                         const GradeSettings& settings) {
  return Grading(submissions, settings).run();
}

std::string junit_of(const std::vector<Grade>& grades) {
  std::map<std::string, std::vector<const Grade*>> suites;
  for (const Grade& grade : grades)
    suites[grade.at("exercise").get<std::string>()].push_back(&grade);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"judge\">\n";
  for (const auto& [exercise, of_exercise] : suites) text += suite_of(exercise, of_exercise);
  return text + "</testsuites>\n";
}

}  // namespace judge
