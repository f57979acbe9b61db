// Splits preprocessed C++ into tokens, as far as rewriting CUDA's additions needs it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cucpu::lower {

enum class TokenKind {
  identifier,   // keywords too
  literal,      // numbers, characters, strings
  punctuation,  // one character, except "::" and "->"
  directive,    // a whole line that starts with '#'
};

struct Token {
  TokenKind kind = TokenKind::punctuation;
  std::string_view text;
  std::size_t begin = 0;  // offset into the source text

  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view s) const { return text == s && kind != TokenKind::literal; }
  bool is_identifier() const { return kind == TokenKind::identifier; }
};

// `source` is the preprocessor's output, with its line markers; the tokens refer to it. Takes any
// bytes: those that are not C++ become punctuation.
std::vector<Token> tokenize(std::string_view source);

}  // namespace cucpu::lower
