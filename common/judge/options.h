#pragma once

#include <cstdint>
#include <string>

namespace judge {

/// The command line.
struct JudgeOptions {
  std::string answer;  // to be printed instead of a verdict
  std::string exercise;
  std::string file;
  bool list = false;
  int hint = 0;
  bool watch = false;
  bool bench = false;
  bool sanitize = false;
  bool json = false;
  std::string draw;    // the page to draw; empty: none
  std::string record;  // of times; empty: no record
  std::size_t seconds = 10;
  std::uint64_t seed = 0;
};

/// Throws `harness::UsageError`.
JudgeOptions parse(int argc, char** argv);
/// For tests of how solutions are timed, which need no references beside them.
bool benches_on_cpu();

}  // namespace judge
