#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace judge {

/// A reader's guess at the fault of a wrong/find_me.cuh.
struct Guess {
  std::string step;      ///< "04", "04_reduce_shared", or the file
  std::size_t line = 0;  ///< 0: none, as somebody who asks what there is to do
  std::string kind;
};

/// Reads STEP; STEP FILE:LINE KIND; or FILE:LINE KIND. Throws `host::UsageError`.
Guess read_guess(const std::vector<std::string>& words);

/// The reply to a guess.
struct Reply {
  std::string step;
  bool line = false, kind = false;  ///< are right
  std::string message;

  bool is_right() const { return line && kind; }
};

/// The lines beside the fault are right, too, as a line may be missing.
Reply reply_to(const Guess& guess);
/// How to find the fault of a step.
std::string task_of(const Guess& guess);
/// Hint 1, 2 or 3; the last one is the solution.
std::string hint_for(const Guess& guess, int number);

}  // namespace judge
