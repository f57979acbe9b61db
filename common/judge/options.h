#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  std::string device;              // empty: the first one, and solutions see all
  std::string draw;                // the page to draw; empty: none
  int fade = 0;                    // the solution to print, with more or fewer lines left out
  bool parsons = false;            // print lines to be put in order
  std::vector<std::size_t> order;  // an answer to that
  std::vector<std::string> find;   // file, line and kind of a fault, or the file alone
  std::string grade;               // the folder of files to grade; empty: none
  std::string results;             // of grades
  std::string junit;               // a report of grades; empty: none
  std::size_t jobs = 0;
  std::string record;  // of times; empty: no record
  std::size_t seconds = 0;
  std::optional<std::uint64_t> seed;
};

/// Throws `host::UsageError`.
JudgeOptions parse(int argc, char** argv);
/// For tests of how solutions are timed, which need no references beside them.
bool benches_on_cpu();

}  // namespace judge
