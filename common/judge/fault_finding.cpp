#include "judge/fault_finding.h"

#include <fmt/core.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "host/command_line.h"
#include "host/wrapped_text.h"

namespace judge {
namespace {

namespace fs = std::filesystem;
using host::UsageError;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLine = 100'000;
constexpr std::size_t kNear = 1;   // lines, that are right as well
constexpr std::size_t kPart = 10;  // lines, that a hint names

// All faults, as steps/find_me.py reads them (JUDGE_FAULTS is its output).
const Json& told() {
  static const Json json = [] {
    std::ifstream in(JUDGE_FAULTS);
    Json read = Json::parse(in, nullptr, false);
    if (!read.is_object()) throw std::runtime_error(JUDGE_FAULTS ": cannot be read");
    return read;
  }();
  return json;
}

std::string list(const Json& strings) {
  std::string text;
  for (const Json& one : strings) text += (text.empty() ? "" : ", ") + one.get<std::string>();
  return text;
}

std::string steps() {
  Json names = Json::array();
  for (const Json& fault : told().at("faults")) names.push_back(fault.at("step"));
  return list(names);
}

bool is_named(const Json& fault, const std::string& name) {
  const std::string step = fault.at("step").get<std::string>();
  std::error_code error;
  return name == step || (!name.empty() && step.starts_with(name + "_")) ||
         fs::equivalent(fault.at("file").get<std::string>(), name, error);
}

const Json& fault_of(const Guess& guess) {
  const Json& faults = told().at("faults");
  const auto found = std::find_if(faults.begin(), faults.end(),
                                  [&](const Json& fault) { return is_named(fault, guess.step); });
  if (found == faults.end())
    throw UsageError("--find " + guess.step + ": no such step or file; allowed: " + steps());
  return *found;
}

std::size_t line_of(const Json& fault) { return fault.at("line").get<std::size_t>(); }

std::string indented(const std::string& text) { return "  " + text + "\n"; }

}  // namespace

Guess read_guess(const std::vector<std::string>& words) {
  if (words.size() == 1) return {words[0], 0, ""};
  const std::string& place = words[words.size() - 2];
  const std::size_t colon = place.rfind(':');
  if (words.size() == 2 && colon == std::string::npos)
    throw UsageError("--find " + words[0] + " " + words[1] +
                     ": the line is missing; allowed: STEP FILE:LINE KIND");
  Guess guess{
      words.size() == 3 ? words[0] : place.substr(0, colon),
      host::parse_number("--find", colon == std::string::npos ? place : place.substr(colon + 1),
                         {1, kMostLine}),
      words.back()};
  const Json& kinds = told().at("kinds");
  if (std::find(kinds.begin(), kinds.end(), guess.kind) == kinds.end())
    throw UsageError("--find " + guess.kind + ": no such kind of fault; allowed: " + list(kinds));
  return guess;
}

Reply reply_to(const Guess& guess) {
  const Json& fault = fault_of(guess);
  const std::size_t line = line_of(fault);
  Reply reply;
  reply.step = fault.at("step").get<std::string>();
  reply.line = guess.line + kNear >= line && guess.line <= line + kNear;
  reply.kind = fault.at("kind") == guess.kind;
  if (reply.is_right())
    reply.message = fault.at("why").get<std::string>();
  else if (reply.line)
    reply.message = "The line is right. Something else comes of it than " + guess.kind + ".";
  else if (reply.kind)
    reply.message = "The kind is right. The cause is in a line further " +
                    std::string(guess.line < line ? "down." : "up.");
  else
    reply.message = "It is another line, and another kind of fault.";
  return reply;
}

std::string task_of(const Guess& guess) {
  const Json& fault = fault_of(guess);
  const std::string step = fault.at("step").get<std::string>();
  return "Read the file; it has one fault:\n" + indented(fault.at("file").get<std::string>()) +
         "Say in which line, and of which kind it is:\n" +
         indented("judge --find " + step + " find_me.cuh:LINE KIND") +
         host::wrapped("Kinds: " + list(told().at("kinds")) + ".") + "Stuck? judge --find " + step +
         " --hint 1\n";
}

std::string hint_for(const Guess& guess, int number) {
  const Json& fault = fault_of(guess);
  const std::size_t line = line_of(fault);
  if (number == 1)
    return "Run it, and see what comes of it. The checkers look if you add --sanitize:\n" +
           indented(fault.at("command").get<std::string>());
  if (number == 2) {
    const std::size_t first = line > kPart / 2 ? line - line % kPart / 2 : 1;
    return fmt::format("The fault is of the kind {}, in one of the lines {} to {}.\n",
                       fault.at("kind").get<std::string>(), std::max<std::size_t>(first, 1),
                       first + kPart);
  }
  return host::wrapped(fmt::format("Line {}, {}: {}", line, fault.at("kind").get<std::string>(),
                                   fault.at("why").get<std::string>()));
}

}  // namespace judge
