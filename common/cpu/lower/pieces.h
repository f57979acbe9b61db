// A preprocessed program as a list of pieces: the declarations of its namespaces and classes, each
// marked as for the host, for the device, or for both.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "code.h"

namespace cucpu::lower {

struct Piece {
  enum class Kind {
    scope,      // `namespace a {`, `struct S : B {`
    scope_end,  // `}`, `} s;`
    function,   // with its body
    other,
  };
  Kind kind = Kind::other;
  std::size_t begin = 0;  // its tokens
  std::size_t end = 0;
  std::size_t body = 0;  // the { of a function or a scope; otherwise `end`
  bool for_host = true;
  bool for_device = false;
  std::size_t scope = 0;  // the key of the scope that it stands in
  std::size_t key = 0;    // equal for pieces of the same text in scopes of the same text
};
std::vector<Piece> pieces_of(const Code& code);

// A text that tells the piece from its namesakes: a function's declarator without the words that
// only CUDA has; the name of anything else.
std::string identity(const Code& code, const Piece& piece);

// Bodies for the device inside a function for the host: of lambdas and of members of local classes.
struct DeviceBody {
  std::size_t begin = 0;  // its {
  std::size_t end = 0;    // behind its }
  bool for_host = false;
};
std::vector<DeviceBody> device_bodies(const Code& code, const Piece& function);

}  // namespace cucpu::lower
