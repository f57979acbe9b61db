#include "harness/progress.h"

#include <unistd.h>

#include <cstdio>

namespace harness {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::set(const std::string& text) {
  clear();
  text_ = text;
  show();
}

void Progress::clear() const { put("\r\033[K"); }

void Progress::show() const { put(text_); }

void Progress::put(const std::string& text) const {
  if (terminal_) std::fputs(text.c_str(), stderr);
}

}  // namespace harness
