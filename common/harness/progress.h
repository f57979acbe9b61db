#pragma once

#include <string>

namespace harness {

/// Shows what is running, on a terminal only: one line below a table, which leaves no trace.
class Progress {
 public:
  Progress();

  void set(const std::string& text);

  /// Between these two, other lines may be printed.
  void clear() const;
  void show() const;

 private:
  void put(const std::string& text) const;

  bool terminal_;
  std::string text_;
};

}  // namespace harness
