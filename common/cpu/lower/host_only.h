// Host functions and host variables at namespace scope. nvcc refuses device code that uses them;
// here it would work, and the program would not compile for a GPU.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "code.h"
#include "declaration.h"

namespace cucpu::lower {

class HostOnly {
 public:
  explicit HostOnly(const Code& code);

  // The error, without its place, if the identifier at i, in device code, stands for one of them. A
  // name that the program gives to anything else, too, is taken for that.
  std::optional<std::string> error_at(std::size_t i) const;

 private:
  enum class Kind { function, variable };

  void note(const Declaration& d);
  void note_name(std::size_t name, Kind kind, bool is_of_host);
  void drop_ambiguous_names();

  const Code& code_;
  std::map<std::string_view, Kind> names_;
  std::unordered_set<std::string_view> others_;  // names that device code, too, has a use for
  std::unordered_set<std::size_t> declared_at_;
};

}  // namespace cucpu::lower
