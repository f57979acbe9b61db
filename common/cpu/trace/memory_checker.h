// memcheck and initcheck: whether an access is of memory that is there, aligned, and written
// before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checked_memory.h"
#include "findings.h"
#include "program_image.h"
#include "settings.h"
#include "trace.h"

namespace cucpu::trace {

// An index that is out of bounds of an array whose extent the compiler knows.
struct BadIndex {
  Site site;
  const char* array;  // its type; null: there is no such index
  std::intptr_t index;
};

class MemoryChecker {
 public:
  using ByteState = checked_memory::ByteState;

  explicit MemoryChecker(FindingLog& log) : log_(log), tools_(settings().tools) {}

  void begin_launch(const Grid& grid);

  // Checks an access of memory that has a state for each byte; `states` is that of the first one.
  // Returns whether the access is legal; if not, it has been reported.
  // (Here and elsewhere, unlikely paths take a copy of an access: then it stays in registers on the
  // likely path.)
  [[gnu::always_inline]] bool check(const Access& access, ByteState* states) {
    if (is_plain(access, states)) [[likely]]
      return true;
    return check_closely(access.copy(), states);
  }
  // `next`: the address of the shared access that followed; 0 if something else followed.
  void report_bad_index(const BadIndex& bad, std::uintptr_t next);
  // Whether the access that follows is of an array in a variable of the device, with that index.
  static bool is_beyond_variable(const BadIndex& bad, const Access& next);
  void report_beyond_variable(const BadIndex& bad, const Access& access);
  // A thread frees memory of the device's heap that it has freed before, or something else. Returns
  // whether memcheck is at work.
  bool report_bad_free(std::uintptr_t address, bool was_freed, Site site);
  // Whether the address is that of a variable that could be `__device__` or `__constant__`.
  bool is_programs_variable(std::uintptr_t address) const { return is_in(variables_, address); }
  // Checks an access of memory that the runtime does not know.
  void check_unknown(const Access& access);

 private:
  // Whether the access is like nearly all: aligned, and of bytes that have been written.
  [[gnu::always_inline]] static bool is_plain(const Access& access, const ByteState* states) {
    if ((access.address & (access.bytes - 1)) != 0) return false;
    constexpr std::uint64_t kDefined = 0x0303030303030303;
    const auto equal = [&](auto wanted) {
      decltype(wanted) found;
      __builtin_memcpy(&found, states, sizeof found);
      return found == wanted;
    };
    switch (access.bytes) {
      case 4:
        return equal(static_cast<std::uint32_t>(kDefined));
      case 8:
        return equal(kDefined);
      case 16:
        return equal(kDefined) && (states += 8, equal(kDefined));
      case 2:
        return equal(static_cast<std::uint16_t>(kDefined));
      default:
        return equal(static_cast<std::uint8_t>(kDefined));
    }
  }
  [[gnu::noinline]] bool check_closely(const Access& access, ByteState* states);
  static bool is_in(const std::vector<Extent>& extents, std::uintptr_t address);
  void report_invalid(const Access& access, FindingKind kind, std::vector<std::string> more);

  FindingLog& log_;
  const Tools tools_;
  std::vector<Extent> variables_;  // where those of the program are
  std::vector<Extent> launchs_;    // of the launch's own: its arguments, and the thread's indices
};

}  // namespace cucpu::trace
