#include "code.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "lower.h"

namespace cucpu::lower {
namespace {

bool is_closing(const Token& t) { return t.is(")") || t.is("]") || t.is("}"); }

std::string_view closing_of(const Token& opening) {
  return opening.is("(") ? ")" : opening.is("[") ? "]" : "}";
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// A file name as line markers spell it: `\"`, `\\`, and three octal digits for other bytes.
std::string unescape(std::string_view quoted) {
  std::string out;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\' || i + 1 == quoted.size()) {
      out += quoted[i];
    } else if (i + 3 < quoted.size() && is_octal(quoted[i + 1])) {
      out += static_cast<char>(std::stoi(std::string(quoted.substr(i + 1, 3)), nullptr, 8));
      i += 3;
    } else {
      out += quoted[++i];
    }
  }
  return out;
}

std::string escape(std::string_view file) {
  std::string out;
  for (const char c : file) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

const Token Code::kNoToken;

Code::Code(std::string_view source) : source_(source) {
  origins_.push_back({0, 1, "<input>"});
  for (const Token& t : tokenize(source)) {
    if (t.kind == TokenKind::directive) {
      directives_.push_back(t);
      read_line_marker(t);
    } else {
      tokens_.push_back(t);
    }
  }
  match_brackets();
}

// `# 12 "file.h" 1 3`: the next line is line 12 of file.h, which begins here (1) and is a header of
// the system's (3).
void Code::read_line_marker(const Token& directive) {
  const std::string text(directive.text);
  const std::size_t open = text.find('"');
  const std::size_t close = text.rfind('"');
  if (text.size() < 3 || text[1] != ' ' || !std::isdigit(static_cast<unsigned char>(text[2])) ||
      open == close)
    return;
  const std::string file = unescape(std::string_view(text).substr(open + 1, close - open - 1));
  const std::string_view flags = std::string_view(text).substr(close + 1);
  const bool is_system = flags.find('3') != std::string_view::npos;
  // In a merged text, a file's first marker need not say that the file begins there.
  if (is_system && system_files_.insert(file).second)
    system_inclusions_.push_back({file, directive.begin});
  origins_.push_back(
      {directive.end() + 1, std::strtol(text.c_str() + 2, nullptr, 10), file, is_system});
}

void Code::match_brackets() {
  partner_.assign(size(), kNone);
  enclosing_.reserve(size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < size(); ++i) {
    enclosing_.push_back(open.empty() ? size() : open.back());
    if (is_opening(i)) open.push_back(i);
    // The compilers that come next recurse.
    constexpr std::size_t kDeepest = 10'000;
    if (open.size() > kDeepest) fail(i, "brackets are nested more than 10,000 deep");
    if (!is_closing(tokens_[i])) continue;
    // Brackets without a partner are left alone: one that is opened inside and never closed, and a
    // closing one that nothing opened. ) and ] do not look outside their braces.
    auto opened = open.rbegin();
    while (opened != open.rend() && !tokens_[i].is(closing_of(tokens_[*opened])) &&
           !(tokens_[*opened].is("{")))
      ++opened;
    if (opened == open.rend() || !tokens_[i].is(closing_of(tokens_[*opened]))) continue;
    partner_[i] = *opened;
    partner_[*opened] = i;
    open.erase(opened.base() - 1, open.end());
  }
}

bool Code::is_opening(std::size_t i) const {
  const Token& t = (*this)[i];
  return t.is("(") || t.is("[") || t.is("{");
}

std::size_t Code::matching(std::size_t i) const {
  if (i >= size()) fail(i, "the file ends in the middle of a declaration");
  if (partner_[i] == kNone) fail(i, "unbalanced '" + std::string(tokens_[i].text) + "'");
  return partner_[i];
}

std::size_t Code::closing_angle(std::size_t i) const {
  int depth = 0;
  for (std::size_t j = i; j < size(); ++j) {
    const Token& t = tokens_[j];
    if (t.is("<")) ++depth;
    if (t.is(">") && --depth == 0) return j;
    if (t.is(";") || is_closing(t)) break;
    if (is_opening(j)) j = matching(j);
  }
  return i;
}

std::size_t Code::opening_angle(std::size_t i) const {
  int depth = 0;
  for (std::size_t j = i; j < size(); --j) {
    const Token& t = tokens_[j];
    if (t.is(">")) ++depth;
    if (t.is("<") && --depth == 0) return j;
    if (t.is(";") || is_opening(j)) break;
    if (is_closing(t)) j = matching(j);
  }
  return i;
}

bool Code::is_triple(std::size_t i, std::string_view character) const {
  const Token& a = (*this)[i];
  const Token& b = (*this)[i + 1];
  const Token& c = (*this)[i + 2];
  return a.is(character) && b.is(character) && c.is(character) && a.end() == b.begin;
}

const Code::Origin& Code::origin(std::size_t offset) const {
  const auto after =
      std::upper_bound(origins_.begin(), origins_.end(), offset,
                       [](std::size_t value, const Origin& o) { return value < o.begin; });
  return *(after - 1);
}

bool Code::in_main_file(std::size_t i) const {
  // The first marker names the file itself.
  return origins_.size() < 2 || origin(offset_of(i)).file == origins_[1].file;
}

bool Code::in_system_header(std::size_t i) const { return origin(offset_of(i)).is_system; }

void Code::fail(std::size_t i, const std::string& message) const { fail_at(offset_of(i), message); }

long Code::line_at(std::size_t offset) const {
  const Origin& from = origin(offset);
  const auto begin = source_.begin() + static_cast<std::ptrdiff_t>(std::min(from.begin, offset));
  return from.line + std::count(begin, source_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
}

std::string_view Code::source(std::size_t i, std::size_t end) const {
  if (i >= end) return {};
  return source_.substr(offset_of(i), (*this)[end - 1].end() - offset_of(i));
}

std::string Code::line_marker(std::size_t i) const {
  const std::size_t offset = offset_of(i);
  const Origin& from = origin(offset);
  return "\n# " + std::to_string(line_at(offset)) + " \"" + escape(from.file) + "\"" +
         (from.is_system ? " 3" : "") + "\n";
}

void Code::fail_at(std::size_t offset, const std::string& message) const {
  throw Error(origin(offset).file + ":" + std::to_string(line_at(offset)) + ": error: " + message);
}

}  // namespace cucpu::lower
