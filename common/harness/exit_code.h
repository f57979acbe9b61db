#pragma once

namespace harness {

/// How steps and the tour end.
inline constexpr int kAllRight = 0;
inline constexpr int kWrong = 1;     ///< a result is wrong
inline constexpr int kBadUsage = 2;  ///< the command line cannot be obeyed
inline constexpr int kNoDevice = 77;

}  // namespace harness
