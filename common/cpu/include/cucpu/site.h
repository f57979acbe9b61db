// A place in the user's source, captured by a default argument.
#pragma once

namespace cucpu {

struct Site {
  const char* file = nullptr;
  unsigned line = 0;

  // As a default argument this names the line of the outermost call.
  static constexpr Site current(const char* file = __builtin_FILE(),
                                unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace cucpu
