#include "token.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace cucpu::lower {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80);
}
bool continues_identifier(char c) { return starts_identifier(c) || is_digit(c); }

bool is_raw_string_prefix(std::string_view word) {
  return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(source_.size() / 4);
    bool line_start = true;
    while (at_ < source_.size()) {
      // The preprocessor leaves comments only if it is told to.
      if (peek() == '/' && (peek(1) == '/' || peek(1) == '*')) {
        skip_comment();
        continue;
      }
      if (is_space(peek())) {
        line_start |= peek() == '\n';
        ++at_;
        continue;
      }
      const std::size_t begin = at_;
      const TokenKind kind = skip_token(line_start);
      line_start = false;
      tokens.push_back({kind, source_.substr(begin, at_ - begin), begin});
    }
    return tokens;
  }

 private:
  TokenKind skip_token(bool line_start) {
    const char c = peek();
    if (c == '#' && line_start) {
      at_ = std::min(source_.find('\n', at_), source_.size());
      return TokenKind::directive;
    }
    if (starts_identifier(c)) {
      const std::size_t begin = at_;
      while (continues_identifier(peek())) ++at_;
      if (peek() != '"' || !is_raw_string_prefix(source_.substr(begin, at_ - begin)))
        return TokenKind::identifier;
      skip_raw_string();
      return TokenKind::literal;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      skip_number();
      return TokenKind::literal;
    }
    if (c == '"' || c == '\'') {
      skip_quoted(c);
      return TokenKind::literal;
    }
    const bool pair = (c == ':' && peek(1) == ':') || (c == '-' && peek(1) == '>');
    at_ += pair ? 2 : 1;
    return TokenKind::punctuation;
  }

  // A zero byte beyond the end.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void skip_comment() {
    const bool is_line = peek(1) == '/';
    const std::size_t end = source_.find(is_line ? "\n" : "*/", at_ + 2);
    at_ = end == std::string_view::npos ? source_.size() : end + (is_line ? 0 : 2);
  }

  void skip_number() {
    for (char before = '\0';; before = peek(), ++at_) {
      const char c = peek();
      const bool exponent_sign = (c == '+' || c == '-') &&
                                 (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && continues_identifier(peek(1));
      if (!continues_identifier(c) && c != '.' && !exponent_sign && !separator) break;
    }
  }

  // Ends at the end of the line, if the closing quote is missing.
  void skip_quoted(char quote) {
    for (++at_; at_ < source_.size() && peek() != quote && peek() != '\n'; ++at_)
      if (peek() == '\\' && peek(1) != '\n') ++at_;
    if (peek() == quote) ++at_;
    at_ = std::min(at_, source_.size());
  }

  // R"tag( ... )tag"
  void skip_raw_string() {
    const std::size_t tag = at_ + 1;
    const std::size_t open = source_.find('(', tag);
    at_ = source_.size();
    if (open == std::string_view::npos) return;
    const std::string close = ")" + std::string(source_.substr(tag, open - tag)) + "\"";
    const std::size_t end = source_.find(close, open);
    if (end != std::string_view::npos) at_ = end + close.size();
  }

  std::string_view source_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) { return Scanner(source).run(); }

}  // namespace cucpu::lower
