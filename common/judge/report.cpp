#include "judge/report.h"

#include <fmt/core.h>
#include <cerrno>
#include <cstdio>
#include <sstream>

#include "host/wrapped_text.h"
#include "judge/folder.h"

namespace judge {
namespace {

using Json = nlohmann::ordered_json;

std::string indented(const std::string& text) {
  std::istringstream in(text);
  std::string result;
  for (std::string line; std::getline(in, line);) result += "  " + line + "\n";
  return result;
}

// "   12 |   x[i] = 0;"
std::string quote(const std::filesystem::path& file, int number) {
  std::istringstream in(read_file(file));
  std::string line;
  for (int i = 0; i < number; ++i)
    if (!std::getline(in, line)) return {};
  return fmt::format("{:5} | {}\n", number, line);
}

// The learner's lines that a finding names.
std::string quote(const Json& finding, const std::filesystem::path& file) {
  std::string text;
  std::error_code error;
  if (!std::filesystem::equivalent(finding.value("file", ""), file, error)) return text;
  const int line = finding.value("line", 0), other = finding.value("other_line", line);
  text = quote(file, std::min(line, other));
  return line == other ? text : text + quote(file, std::max(line, other));
}

// The case that a verdict is about, if there is one.
const CaseName* case_of(const Verdict& verdict) {
  const CheckResult& check = verdict.check;
  const CaseName& name = check.fault ? check.fault->name : check.last;
  return name.of == 0 ? nullptr : &name;
}

// "case 1 of 24: n=1, random values"
std::string text_of_case(const Exercise& exercise, const Verdict& verdict) {
  const CaseName* const name = case_of(verdict);
  if (name == nullptr) return {};
  return fmt::format("case {} of {}: {}, {} values\n", name->number, name->of,
                     exercise.describe(name->run.sizes), name_of(name->run.values));
}

std::string notes_of(const Verdict& verdict) {
  std::string text;
  for (const std::string& note : verdict.notes) text += host::wrapped("note: " + note);
  return text;
}

// The command as it is called here, to be copied.
std::string offer_of_hint(const Exercise& exercise, int hint) {
  return fmt::format("\nStuck? {} {} --hint {}\n", program_invocation_name, exercise.name, hint);
}

std::string goals_text(const Verdict& verdict) {
  std::string text;
  for (const Reached& goal : verdict.goals)
    text += "\n" +
            host::wrapped(fmt::format("{:.3g} {}; the goal is at most {:.3g}: {}", goal.counted,
                                      goal.what, goal.most, goal.is_met() ? "reached" : "not yet"));
  return text;
}

std::string pass_text(const Exercise& exercise, const Verdict& verdict) {
  const CheckResult& check = verdict.check;
  std::string text = fmt::format("{} cases are right", check.cases);
  if (JUDGE_WATCHES) text += "; memcheck, racecheck, initcheck and synccheck find nothing";
  text += "\n" + notes_of(verdict);
  if (!check.tables.empty())
    text += "\nWhat it does at " + exercise.describe(check.last.run.sizes) + ":\n" + check.tables;
  text += goals_text(verdict);
  if (!verdict.advice.empty()) text += host::wrapped("\nFaster? " + verdict.advice);
  return text;
}

std::string fail_text(const Exercise& exercise, const Verdict& verdict,
                      const std::filesystem::path& file) {
  if (verdict.reasons.front() == "compile") return verdict.message;  // as the compiler put it
  std::string text = text_of_case(exercise, verdict);
  if (!verdict.diagnosis.empty()) text += host::wrapped(verdict.diagnosis + "\n");
  text += host::wrapped(verdict.message);
  if (verdict.reasons.front() == "signature" || verdict.reasons.front() == "forged") return text;
  if (!verdict.findings.empty()) text += quote(verdict.findings.front(), file);
  text += host::wrapped_report(verdict.report);
  text += notes_of(verdict);
  if (!verdict.printed.empty()) text += "It printed:\n" + indented(verdict.printed);
  return text + offer_of_hint(exercise, useful_hint(verdict));
}

}  // namespace

std::string to_text(const Exercise& exercise, const Verdict& verdict, const std::string& shown_as,
                    const std::filesystem::path& file) {
  const std::string time = fmt::format(" ({:.1f} s)", verdict.seconds);
  const std::string head = std::string(exercise.name) + ": ";
  switch (verdict.status) {
    case Verdict::Status::pass:
      return head + "pass" + time + "\n" + pass_text(exercise, verdict);
    case Verdict::Status::todo:
      if (verdict.reasons.front() == "todo")
        return head + "todo: " + shown_as + ": " + verdict.message;
      return head + "todo: " + shown_as + " still has its TODO, and writes nothing\n" +
             offer_of_hint(exercise, 1);
    case Verdict::Status::fail:
      break;
  }
  return head + "wrong: " + verdict.reasons.front() + time + "\n" +
         fail_text(exercise, verdict, file);
}

std::string to_json(const Exercise& exercise, const Verdict& verdict, const std::string& shown_as) {
  Json json = {
      {"exercise", exercise.name}, {"file", shown_as}, {"status", name_of(verdict.status)}};
  const CheckResult& check = verdict.check;
  if (verdict.status != Verdict::Status::pass) {
    json["reason"] = verdict.reasons.front();
    json["reasons"] = verdict.reasons;
    json["diagnosis"] = verdict.diagnosis;
    json["message"] = verdict.message;
    if (const CaseName* const name = case_of(verdict))
      json["case"] = {{"number", name->number},
                      {"of", name->of},
                      {"sizes", exercise.describe(name->run.sizes)},
                      {"values", name_of(name->run.values)}};
    if (check.fault && check.fault->mismatch) {
      const Mismatch& mismatch = *check.fault->mismatch;
      json["index"] = mismatch.index;
      json["expected"] = text_of(exercise.arrays[exercise.output()].element, mismatch.expected);
      json["got"] = got_text(exercise, mismatch);
    }
    json["findings"] = verdict.findings;
    json["hint"] = useful_hint(verdict);
  } else {
    json["cases"] = check.cases;
    json["sizes"] = exercise.describe(check.last.run.sizes);
    json["launches"] = check.launches;
    json["goals"] = Json::array();
    for (const Reached& goal : verdict.goals)
      json["goals"].push_back({{"what", goal.what},
                               {"counted", goal.counted},
                               {"most", goal.most},
                               {"met", goal.is_met()}});
    json["advice"] = verdict.advice;
  }
  json["notes"] = verdict.notes;
  json["seconds"] = verdict.seconds;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace judge
