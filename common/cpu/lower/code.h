// A preprocessed program as the lowering walks through it: tokens, matched brackets, and where each
// came from.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "token.h"

namespace cucpu::lower {

class Code {
 public:
  explicit Code(std::string_view source);

  // Everything but the directives, which can stand between any two tokens.
  std::size_t size() const { return tokens_.size(); }
  // An empty token before the first and beyond the last.
  const Token& operator[](std::size_t i) const { return i < size() ? tokens_[i] : kNoToken; }
  const std::vector<Token>& directives() const { return directives_; }

  bool is_opening(std::size_t i) const;  // of (, [ or {
  // The token that belongs to the bracket (, [ or { at i, or ), ] or } at i. Fails if there is
  // none.
  std::size_t matching(std::size_t i) const;
  // The (, [ or { that the token at i stands in, also if it is never closed; size() if none.
  std::size_t enclosing(std::size_t i) const { return i < size() ? enclosing_[i] : size(); }
  // The same for the < and > of template arguments; i itself if there is none.
  std::size_t closing_angle(std::size_t i) const;
  std::size_t opening_angle(std::size_t i) const;
  // Three of these characters, as in <<< and >>>; some write << < and >> >.
  bool is_triple(std::size_t i, std::string_view character) const;

  // Whether the token is in the compiled file itself, not in one that it includes.
  bool in_main_file(std::size_t i) const;
  // Stands in a header of the system's, among which are those of CUDA.
  bool in_system_header(std::size_t i) const;
  // Headers of the system's that the preprocessor found, each with where its inclusion stands.
  struct Inclusion {
    std::string file;
    std::size_t offset;
  };
  const std::vector<Inclusion>& system_inclusions() const { return system_inclusions_; }
  // The text of the tokens from i to `end`, with all that stands between them.
  std::string_view source(std::size_t i, std::size_t end) const;
  std::string_view between(std::size_t i, std::size_t next) const {
    return source_.substr(tokens_[i].end(), tokens_[next].begin - tokens_[i].end());
  }
  // A directive that gives the next line the number of the line with the token at i.
  std::string line_marker(std::size_t i) const;
  // Throws an Error that names the user's file and line.
  [[noreturn]] void fail(std::size_t i, const std::string& message) const;
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static const Token kNoToken;

  // From `begin` on, the text is line `line` and following of `file`.
  struct Origin {
    std::size_t begin;
    long line;
    std::string file;
    bool is_system = false;
  };
  void read_line_marker(const Token& directive);
  std::size_t offset_of(std::size_t i) const {
    return i < size() ? tokens_[i].begin : source_.size();
  }
  const Origin& origin(std::size_t offset) const;
  long line_at(std::size_t offset) const;
  void match_brackets();

  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<Token> directives_;
  std::vector<std::size_t> partner_;  // of each bracket, kNone for other tokens
  std::vector<std::size_t> enclosing_;
  std::vector<Origin> origins_;       // in order of `begin`
  std::vector<Inclusion> system_inclusions_;
  std::set<std::string> system_files_;  // their names, for a quick look
};

}  // namespace cucpu::lower
