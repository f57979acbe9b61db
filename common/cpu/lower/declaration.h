// Declarations at namespace scope, as far as the lowering has to understand them.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "code.h"

namespace cucpu::lower {

using Words = std::set<std::string_view>;

// Specifiers that only CUDA has, alone and with a parenthesis.
extern const Words kDropped;
extern const Words kDroppedWithArguments;
// Specifiers that take a parenthesis of their own, which does not begin the parameters.
extern const Words kTakesArguments;

// The part of a declaration before its parameters, its initializer or its end.
struct Declaration {
  Words words;                     // those outside brackets, its name included
  std::size_t begin = 0;           // its first token
  std::size_t template_angle = 0;  // the < of the innermost template<...>; 0: none
  std::size_t name = 0;            // its first token: `ns` in ns::kernel<int>
  std::size_t end = 0;             // the token that ends it
  bool has(std::string_view word) const { return words.contains(word); }
};
Declaration read_declaration(const Code& code, std::size_t begin);

// A definition of a kernel.
struct Kernel {
  Declaration declaration;
  std::size_t global = 0;  // the token `__global__`
  std::size_t body = 0;    // the { of its body
};
// Those outside the system's headers.
std::vector<Kernel> kernels_of(const Code& code);

// `template <class T, int N = 4, class... Ts>` has three, `(const float* in, int)` two.
struct Parameter {
  std::size_t begin = 0;
  std::size_t end = 0;          // of it without its default argument
  std::size_t default_end = 0;  // of it with that
  std::size_t name = 0;         // 0: it has none
  std::size_t name_place = 0;   // where a name would stand: before this token
  bool is_pack = false;
};
// Those in the brackets that open at `open`.
std::vector<Parameter> read_parameters(const Code& code, std::size_t open);

// The last token of the group in brackets, template arguments included, that begins at i; i itself
// if none does.
std::size_t skip_group(const Code& code, std::size_t i);

// The tokens from i to `end` on one line, less directives between them and what is dropped.
std::string text_of(const Code& code, std::size_t i, std::size_t end);
// A parameter without its default, under its own name or, where it has none, under `name`.
std::string text_of(const Code& code, const Parameter& parameter, const std::string& name);
// The type of a pointer to a kernel whose parameters open at `open`.
std::string kernel_pointer_type(const Code& code, std::size_t open);

}  // namespace cucpu::lower
