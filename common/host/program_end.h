#pragma once

#include <functional>
#include <string>

namespace host {

/// How programs end.
inline constexpr int kAllRight = 0;
inline constexpr int kWrong = 1;     ///< a result is wrong
inline constexpr int kBadUsage = 2;  ///< the command line cannot be obeyed
inline constexpr int kNoDevice = 77;

/// Prints `error: ` and `what` on stderr, as one line whatever is in it.
void print_error(const std::string& what);

/// How a program ends that would end with `code`: with `kWrong` and a message if its standard
/// output cannot be written, as on a full disk.
int checked_output(int code);

/// The `main` of a program: runs `body`, and makes exit codes and one-line errors of what it
/// throws.
int run_main(const std::function<int()>& body);

}  // namespace host
