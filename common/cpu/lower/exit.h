#pragma once

#include <algorithm>
#include <iostream>
#include <string>

namespace cucpu {

// Ends the program from wherever it is, with its temporary files removed.
struct Exit {
  int status;
};

// One line, whatever a file's name is.
[[noreturn]] inline void refuse(std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](unsigned char c) { return c < ' '; }, '?');
  std::cerr << "error: " << message << '\n';
  throw Exit{2};
}

}  // namespace cucpu
