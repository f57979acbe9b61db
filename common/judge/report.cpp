#include "judge/report.h"

#include <cerrno>
#include <cstdio>
#include <sstream>

#include "host/wrapped_text.h"
#include "judge/folder.h"

namespace judge {
namespace {

using Json = nlohmann::ordered_json;

std::string format_seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

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
  char prefix[16];
  std::snprintf(prefix, sizeof prefix, "%5d | ", number);
  return prefix + line + "\n";
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

// "case 1 of 24: n=1, random values"
std::string case_of(const Verdict& verdict) {
  if (verdict.run.empty()) return {};
  return "case " + std::to_string(verdict.run.at("number").get<int>()) + " of " +
         std::to_string(verdict.run.at("of").get<int>()) + ": " +
         verdict.run.at("sizes").get<std::string>() + ", " +
         verdict.run.at("values").get<std::string>() + " values\n";
}

std::string notes_of(const Verdict& verdict) {
  std::string text;
  for (const std::string& note : verdict.notes) text += host::wrapped("note: " + note);
  return text;
}

// The command as it is called here, to be copied.
std::string offer_of_hint(const Exercise& exercise, int hint) {
  return std::string("\nStuck? ") + program_invocation_name + " " + std::string(exercise.name) +
         " --hint " + std::to_string(hint) + "\n";
}

std::string goals_text(const Verdict& verdict) {
  std::string text;
  for (const Reached& goal : verdict.goals) {
    char line[120];
    std::snprintf(line, sizeof line, "%.3g %s; the goal is at most %.3g: %s", goal.counted,
                  goal.what.c_str(), goal.most, goal.is_met() ? "reached" : "not yet");
    text += "\n" + host::wrapped(line);
  }
  return text;
}

std::string pass_text(const Verdict& verdict) {
  std::string text = std::to_string(verdict.record.at("cases").get<int>()) + " cases are right";
  if (JUDGE_WATCHES) text += "; memcheck, racecheck, initcheck and synccheck find nothing";
  text += "\n" + notes_of(verdict);
  const std::string tables = verdict.record.at("tables").get<std::string>();
  if (!tables.empty())
    text += "\nWhat it does at " + verdict.record.at("sizes").get<std::string>() + ":\n" + tables;
  text += goals_text(verdict);
  if (!verdict.advice.empty()) text += host::wrapped("\nFaster? " + verdict.advice);
  return text;
}

std::string fail_text(const Exercise& exercise, const Verdict& verdict,
                      const std::filesystem::path& file) {
  if (verdict.reasons.front() == "compile") return verdict.message;  // as the compiler put it
  std::string text = case_of(verdict) + host::wrapped(verdict.message);
  if (verdict.reasons.front() == "signature") return text;
  if (!verdict.findings.empty()) text += quote(verdict.findings.front(), file);
  text += host::wrapped_report(verdict.report);
  text += notes_of(verdict);
  if (!verdict.printed.empty()) text += "It printed:\n" + indented(verdict.printed);
  return text + offer_of_hint(exercise, useful_hint(verdict));
}

}  // namespace

std::string to_text(const Exercise& exercise, const Verdict& verdict, const std::string& shown_as,
                    const std::filesystem::path& file) {
  const std::string time = " (" + format_seconds(verdict.seconds) + ")";
  const std::string head = std::string(exercise.name) + ": ";
  switch (verdict.status) {
    case Verdict::Status::pass:
      return head + "pass" + time + "\n" + pass_text(verdict);
    case Verdict::Status::todo:
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
  if (verdict.status != Verdict::Status::pass) {
    json["reason"] = verdict.reasons.front();
    json["reasons"] = verdict.reasons;
    json["message"] = verdict.message;
    if (!verdict.run.empty()) json["case"] = verdict.run;
    for (const char* field : {"index", "expected", "got"})
      if (verdict.record.contains(field)) json[field] = verdict.record[field];
    json["findings"] = verdict.findings;
    json["hint"] = useful_hint(verdict);
  } else {
    json["cases"] = verdict.record.at("cases");
    json["sizes"] = verdict.record.at("sizes");
    json["launches"] = verdict.record.at("launches");
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
