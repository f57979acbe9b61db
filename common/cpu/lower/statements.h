// Statements of a function, as far as loops over a block's threads (whole_blocks.h) have to
// understand them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code.h"
#include "declaration.h"

namespace cucpu::lower {

// Behind the last token of the statement at i, which is read up to `end` at most.
std::size_t end_of_statement(const Code& code, std::size_t i, std::size_t end);

// Whether the token at i is a statement's first: not behind a cast, as in `x = (int)f();`.
bool begins_statement(const Code& code, std::size_t i);

// One of the variables that a statement declares.
struct Local {
  std::string_view name;
  std::string type;        // without const
  bool is_const = false;   // or constexpr
  bool is_scalar = false;  // an arithmetic type or a pointer
  bool is_pointer = false;
  bool is_array = false;
  std::size_t init_begin = 0, init_end = 0;  // the initializer's tokens; none if equal
};

// `const int a = 1, *p = x;`: its variables; none if the statement from i to `end` declares
// nothing, nullopt for a declaration of another form (of references, of structured bindings, ...).
std::optional<std::vector<Local>> read_locals(const Code& code, std::size_t i, std::size_t end);

// Words that name arithmetic types, or are part of such a name.
extern const Words kArithmeticTypes;

// Whether `&variable` stands there.
bool takes_address(const Code& code, std::size_t i, std::size_t end, std::string_view variable);
// Whether an assignment, or ++ or --, stands behind what ends before i.
bool is_assigned(const Code& code, std::size_t i);
// Whether the parenthesis that closes at i may be a cast: `(float*)`.
bool may_be_cast(const Code& code, std::size_t i);
// Whether the tokens from i to `end` may change the variable: they assign to it or to a part of it,
// count that up or down, call a member function, or take its address. The target of a pointer is
// not part of it.
bool may_modify(const Code& code, std::size_t i, std::size_t end, std::string_view variable,
                bool is_pointer);

bool mentions(const Code& code, std::size_t i, std::size_t end, std::string_view word);

}  // namespace cucpu::lower
