#include "drawing/picture.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

#include "turns.h"

namespace cucpu::drawing {
namespace {

using trace::Cell;
using trace::kBanks;
using trace::kLanes;
using trace::kLineBytes;
using trace::kSectorBytes;
using trace::kWordBytes;
using trace::Space;

constexpr unsigned kSide = 17;   // of a word, with the space to the next one
constexpr unsigned kGap = 4;     // between sectors
constexpr unsigned kLeft = 76;   // for labels
constexpr unsigned kRight = 92;  // for turns
constexpr unsigned kRowWords = kLineBytes / kWordBytes;
constexpr unsigned kSectorWords = kSectorBytes / kWordBytes;
constexpr unsigned kWidth = kLeft + kRowWords * kSide + 3 * kGap + kRight;
constexpr std::size_t kMostRows = 36;

template <class... Values>
std::string format(const char* form, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

// "0 1 2"; a single number if all are the same.
std::string list(const std::vector<unsigned>& numbers, bool once_if_same) {
  const bool same =
      std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) == numbers.end();
  std::string text;
  for (std::size_t i = 0; i < (same && once_if_same ? 1 : numbers.size()); ++i)
    text += (i == 0 ? "" : " ") + std::to_string(numbers[i]);
  return text;
}

struct Word {
  std::vector<unsigned> lanes, turns;
};
using Words = std::map<std::uintptr_t, Word>;

unsigned x_of(unsigned column, bool is_global) {
  return kLeft + column * kSide + (is_global ? column / kSectorWords * kGap : 0);
}

class Picture {
 public:
  Picture(const trace::PatternKey& pattern, std::int64_t offset)
      : pattern_(pattern), offset_(offset), is_global_(pattern.access.space == Space::global) {
    const std::uint64_t operation = pattern.access.operation;
    const unsigned bytes = 1u << (operation & 7);
    const trace::Kind kind = trace::kind_of(operation);
    const trace::Request request{pattern.lanes, bytes, kind == trace::Kind::load,
                                 pattern.offset.data()};
    is_wide_ = bytes > kWordBytes;
    for (const Cell& cell :
         trace::cells_of(request, pattern.access.space, kind, pattern.access.way)) {
      words_[cell.word].lanes.push_back(cell.lane);
      words_[cell.word].turns.push_back(cell.turn);
      turns_of_lane_[cell.lane].insert(cell.turn);
      turns_ = std::max(turns_, cell.turn + 1);
    }
    turns_ = std::max(turns_, pattern.units);
  }

  std::string draw() {
    draw_lanes();
    draw_columns();
    std::set<std::uintptr_t> rows;
    for (const auto& [word, what] : words_) rows.insert(word / kRowWords);
    std::size_t number = 0;
    for (const std::uintptr_t row : rows) {
      ++number;
      if (rows.size() > kMostRows && number == kMostRows - 1) draw_gap(rows.size() - kMostRows + 1);
      if (rows.size() > kMostRows && number >= kMostRows - 1 && number < rows.size()) continue;
      draw_row(row);
    }
    return format(
               "<svg class=\"picture\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" "
               "role=\"img\" aria-label=\"%s of %zu words in %zu rows of 128 bytes\" "
               "data-turns=\"%u\">",
               kWidth, y_, kWidth, y_, is_global_ ? "Sectors" : "Banks", words_.size(), rows.size(),
               turns_) +
           body_ + "</svg>";
  }

 private:
  unsigned x_of(unsigned column) const { return drawing::x_of(column, is_global_); }

  void text(unsigned x, unsigned y, const char* anchor, const std::string& said,
            const std::string& more = "") {
    body_ += format("<text x=\"%u\" y=\"%u\" class=\"%s\"", x, y, anchor) + more + ">" + said +
             "</text>";
  }

  void cell(const char* kind, unsigned x, const std::string& said, const std::string& lanes,
            const std::string& turns) {
    body_ += "<g class=\"" + std::string(kind) + "\" data-l=\"" + lanes + "\" data-t=\"" + turns +
             "\">" + format("<rect x=\"%u\" y=\"%u\"/>", x, y_);
    if (!said.empty())
      body_ += format("<text x=\"%u\" y=\"%u\">", x + kSide / 2, y_ + 12) + said + "</text>";
    body_ += "</g>";
  }

  void draw_lanes() {
    text(kLeft - 8, y_ + 12, "e", "lane");
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const bool active = (pattern_.lanes >> lane & 1) != 0;
      const std::set<unsigned>& turns = turns_of_lane_[lane];
      cell(active ? "lane" : "off", x_of(lane), std::to_string(lane), std::to_string(lane),
           list({turns.begin(), turns.end()}, false));
    }
    y_ += kSide + 12;
  }

  void draw_columns() {
    text(kLeft - 8, y_ + 10, "e", is_global_ ? "sector" : "bank");
    if (is_global_) {
      for (unsigned column = 0; column < kRowWords; column += kSectorWords)
        text(x_of(column), y_ + 10, "s", format("+%u bytes", column * kWordBytes));
    } else {
      for (unsigned bank = 0; bank < kBanks; ++bank)
        text(x_of(bank) + kSide / 2, y_ + 10, "m", std::to_string(bank));
    }
    y_ += 16;
  }

  void draw_gap(std::size_t rows) {
    text(kLeft + 4, y_ + 12, "s", "⋮ " + std::to_string(rows) + " more rows");
    y_ += kSide + 2;
  }

  void draw_row(std::uintptr_t row) {
    const auto at = static_cast<std::int64_t>(row * kLineBytes);
    text(kLeft - 8, y_ + 12, "e", std::to_string(offset_ + at),
         " data-at=\"" + std::to_string(at) + "\"");
    std::set<std::uintptr_t> sectors;
    std::set<unsigned> turns;
    for (auto word = words_.lower_bound(row * kRowWords);
         word != words_.end() && word->first / kRowWords == row; ++word) {
      sectors.insert(word->first / kSectorWords);
      turns.insert(word->second.turns.begin(), word->second.turns.end());
    }
    body_ += format("<use href=\"#%s-row\" y=\"%u\"/>", is_global_ ? "global" : "shared", y_);
    // Words that travel with their sector though no lane asks for them.
    if (is_global_)
      for (const std::uintptr_t sector : sectors)
        body_ += format("<use href=\"#waste\" x=\"%u\" y=\"%u\"/>",
                        x_of(static_cast<unsigned>(sector * kSectorWords % kRowWords)), y_);
    for (unsigned column = 0; column < kRowWords; ++column) {
      const std::uintptr_t word = row * kRowWords + column;
      if (const auto found = words_.find(word); found != words_.end())
        cell("word", x_of(column), label_of(word, found->second), list(found->second.lanes, false),
             list(found->second.turns, true));
    }
    text(x_of(kRowWords - 1) + kSide + 8, y_ + 12, "s", turns_text(turns));
    y_ += kSide + 2;
  }

  // A wide access has its number on its first word.
  std::string label_of(std::uintptr_t at, const Word& word) const {
    if (word.lanes.size() > 1) return "×" + std::to_string(word.lanes.size());
    const auto before = words_.find(at - 1);
    const bool continues = is_wide_ && before != words_.end() && at % kRowWords != 0 &&
                           before->second.lanes == word.lanes;
    return continues ? "" : std::to_string(word.lanes.front());
  }

  std::string turns_text(const std::set<unsigned>& turns) const {
    const unsigned first = *turns.begin() + 1, last = *turns.rbegin() + 1;
    const char* const name = is_global_ ? "sector" : "wavefr.";
    return first == last ? format("%s %u", name, first) : format("%s %u–%u", name, first, last);
  }

  const trace::PatternKey& pattern_;
  const std::int64_t offset_;
  const bool is_global_;
  bool is_wide_ = false;
  Words words_;
  std::array<std::set<unsigned>, kLanes> turns_of_lane_;
  unsigned turns_ = 0;
  unsigned y_ = 0;
  std::string body_;
};

}  // namespace

std::string picture(const trace::PatternKey& pattern, std::int64_t offset) {
  return Picture(pattern, offset).draw();
}

std::string picture_parts() {
  const auto squares = [](const char* name, const char* kind, unsigned count, auto place) {
    std::string text = format("<path id=\"%s\" class=\"%s\" d=\"", name, kind);
    for (unsigned i = 0; i < count; ++i)
      text += format("M%u 0h%uv%uh-%uz", place(i), kSide - 1, kSide - 1, kSide - 1);
    return text + "\"/>";
  };
  return "<svg width=\"0\" height=\"0\" class=\"parts\" aria-hidden=\"true\"><defs>" +
         squares("global-row", "idle", kRowWords, [](unsigned i) { return x_of(i, true); }) +
         squares("shared-row", "idle", kRowWords, [](unsigned i) { return x_of(i, false); }) +
         squares("waste", "waste", kSectorWords, [](unsigned i) { return i * kSide; }) +
         "</defs></svg>\n";
}

}  // namespace cucpu::drawing
