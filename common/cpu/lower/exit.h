#pragma once

#include <iostream>
#include <string>

namespace cucpu {

// Ends the program from wherever it is, with its temporary files removed.
struct Exit {
  int status;
};

[[noreturn]] inline void refuse(const std::string& message) {
  std::cerr << "error: " << message << '\n';
  throw Exit{2};
}

}  // namespace cucpu
