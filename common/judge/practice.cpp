#include "judge/practice.h"

#include <fmt/core.h>
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <utility>

namespace judge {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "// fade ";
constexpr int kParsons = 2;  // the version whose lines are put in order

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::string indentation_of(const std::string& text) {
  return text.substr(0, text.find_first_not_of(' '));
}

// The comment that a solution begins with tells how it is done.
std::string without_comment(const std::string& text) {
  std::string rest;
  bool is_head = true;
  for (const std::string& line : lines_of(text)) {
    is_head &= line.starts_with("//");
    if (!is_head) rest += line + "\n";
  }
  return rest;
}

}  // namespace

std::optional<FadedSolution> FadedSolution::find(const Exercise& exercise, const Folder& folder) {
  for (const fs::path& file : folder.solutions()) {
    const std::string text = read_file(file);
    if (text.find(kMark) != std::string::npos)
      return FadedSolution(std::string(exercise.name), without_comment(text));
  }
  return std::nullopt;
}

FadedSolution::FadedSolution(std::string name, const std::string& text) : name_(std::move(name)) {
  for (const std::string& line : lines_of(text)) {
    const std::size_t mark = line.rfind(kMark);
    if (mark == std::string::npos) {
      lines_.push_back({line});
      continue;
    }
    const std::string code = line.substr(0, mark);
    lines_.push_back(
        {code.substr(0, code.find_last_not_of(' ') + 1), line[mark + kMark.size()] - '0'});
  }
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (lines_[i].level != 0 && lines_[i].level <= kParsons) shuffled_.push_back(i);
  mark_bodies();
  shuffle();
}

// Functions begin at the margin, and end with a brace there.
void FadedSolution::mark_bodies() {
  for (std::size_t begin = 0; begin < lines_.size(); ++begin) {
    if (!lines_[begin].text.ends_with("{")) continue;
    if (lines_[begin].text.starts_with("struct") || lines_[begin].text.starts_with("}")) continue;
    std::size_t end = begin + 1;
    while (end < lines_.size() && lines_[end].text != "}") ++end;
    for (std::size_t i = begin + 1; i < end; ++i)
      if (lines_[i].level == 0) lines_[i].level = kAll;
    begin = end;
  }
}

// The same for everybody, so that numbers mean the same; never the right order.
void FadedSolution::shuffle() {
  std::uint32_t state = 1;
  for (const char c : name_) state = state * 31 + static_cast<unsigned char>(c);
  const std::vector<std::size_t> right = shuffled_;
  do {
    for (std::size_t i = shuffled_.size(); i > 1; --i) {
      state = state * 1664525 + 1013904223;
      std::swap(shuffled_[i - 1], shuffled_[(state >> 16) % i]);
    }
  } while (shuffled_ == right && right.size() > 1);
}

std::string FadedSolution::head(const std::string& task) const {
  return "// " + name_ + ": " + task + "\n";
}

std::string FadedSolution::faded(int level) const {
  const bool is_all = level == kAll;
  std::string text = head(is_all ? "write the bodies of these functions."
                                 : "a line is missing wherever it says TODO.");
  bool was_gap = false;
  for (const Line& line : lines_) {
    const bool is_gap = line.level != 0 && line.level <= level;
    // A body that is missing as a whole has one gap.
    if (is_gap && !(is_all && was_gap))
      text += (is_all ? "  " : indentation_of(line.text)) + std::string(kGap) +
              (is_all ? "the body" : "a line") + "\n";
    else if (!is_gap)
      text += line.text + "\n";
    was_gap = is_gap;
  }
  return text;
}

std::string FadedSolution::parsons() const {
  std::string text = head("put the lines below into the gaps.");
  std::size_t gap = 0;
  for (const Line& line : lines_) {
    const bool is_gap = line.level != 0 && line.level <= kParsons;
    text +=
        is_gap ? fmt::format("{}[gap {}]\n", indentation_of(line.text), ++gap) : line.text + "\n";
  }
  text += "\n";
  for (std::size_t i = 0; i < shuffled_.size(); ++i)
    text += fmt::format("{:2}: {}\n", i + 1, trimmed(lines_[shuffled_[i]].text));
  return fmt::format("{}\nThe line for gap 1, for gap 2 and so on: judge {} --order 1,2,...,{}\n",
                     text, name_, shuffled_.size());
}

std::string FadedSolution::ordered(const std::vector<std::size_t>& order) const {
  std::string text;
  auto next = order.begin();
  for (const Line& line : lines_) {
    const bool is_gap = line.level != 0 && line.level <= kParsons;
    text += (is_gap ? indentation_of(line.text) + trimmed(lines_[shuffled_[*next++ - 1]].text)
                    : line.text) +
            "\n";
  }
  return text;
}

std::vector<std::size_t> gaps_in(const std::string& text) {
  std::vector<std::size_t> numbers;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (trimmed(line).starts_with(kGap)) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace judge
