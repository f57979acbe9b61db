// The reports of races. A hazard is a word of memory at which two instructions race: between two
// barriers of a block if it is shared memory, else in a launch.
//
// Writes of the same value are a warning, not an error. The value is known only after the write: at
// the thread's next event.
#pragma once

#include <cstdint>
#include <vector>

#include "access_history.h"
#include "findings.h"
#include "trace.h"

namespace cucpu::trace {

// Numbers of 32 bits for the addresses of instructions.
class CodeNumbers {
 public:
  static std::uint32_t of(std::uintptr_t code) {
    const std::uintptr_t offset = code - program_;
    return offset < kFirstFar ? static_cast<std::uint32_t>(offset) : of_far(code);
  }
  static std::uintptr_t code(std::uint32_t number);
  // In the program itself, not in a library.
  static bool is_near(std::uintptr_t code) { return code - program_ < kFirstFar; }

 private:
  static constexpr std::uint32_t kFirstFar = std::uint32_t{1} << 31;
  static std::uint32_t of_far(std::uintptr_t code);
  static const std::uintptr_t program_;
};

class RaceLog {
 public:
  explicit RaceLog(FindingLog& findings) : findings_(findings) {}

  // Both are in the order in which they are reported, whoever came first.
  static Mark make_mark(const Mark::Side& a, const Mark::Side& b);
  // A race at the word, which may have been found there before, between the same instructions.
  void add(Word& word, Links& links, Mark mark, Space space);

 private:
  void log(const Mark& mark, Space space);

  FindingLog& findings_;
};

}  // namespace cucpu::trace
