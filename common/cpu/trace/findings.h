// The checkers' findings: grouped, printed as compute-sanitizer prints them, counted, and as JSON.
//
// Equal findings of a launch are one report. It gives their number and shows the first of them in
// the order of blocks and threads, whatever the order in which they ran. For a race, it shows two
// threads as far apart as any that race there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cucpu/execution.h"
#include "cucpu/site.h"
#include "trace.h"

namespace cucpu {
class Grid;
struct ApiError;
}  // namespace cucpu

namespace cucpu::trace {

enum class FindingKind : std::uint8_t {
  out_of_bounds,
  misaligned,
  use_after_free,
  leak,
  api_error,
  race,
  uninitialized,
  barrier_divergence,
  invalid_mask,
  deadlock,
};

// A place in the source: of an instruction, or, with `code` 0, a known one.
struct Place {
  std::uintptr_t code = 0;
  Site site;
};

struct Finding {
  std::string title;              // "Invalid __global__ read of size 4 bytes"
  std::string other;              // what the other side of a race did, or where else: "Read access"
  std::vector<std::string> more;  // lines that follow the place and the thread
  std::string on_one_line = {};   // of a race: the last of them where both places are one line
  // A hazard between accesses is an error, or a warning: a doubt, which does not fail the program.
  bool is_error = true;
};

// An index is out of bounds of an array, and `other` is the next access of the thread if that is of
// shared memory. On the same line it is the array's, whose bounds are checked without this. The
// compiler reports no accesses of local arrays.
constexpr unsigned kLocalArray = ~0u;

// Equal findings have equal keys.
// An address as reports show it.
std::string text_of_address(std::uintptr_t address);

struct FindingKey {
  FindingKind kind;
  Place place;
  Place other;           // of a race's other access, and as others say below; else empty
  unsigned variety = 0;  // the checker's own number, which tells findings apart; or:

  auto order() const {
    return std::tuple(kind, place.code, place.site.file, place.site.line, other.code,
                      other.site.file, other.site.line, variety);
  }
  bool operator<(const FindingKey& key) const { return order() < key.order(); }
};

// One worker's findings in a launch.
class FindingLog {
 public:
  struct Where {
    unsigned rank = 0;        // of a race: the highest one comes first
    std::uint64_t block = 0;  // linear
    unsigned thread = 0;      // linear
    bool operator<(const Where& w) const {
      return std::tie(w.rank, block, thread) < std::tie(rank, w.block, w.thread);
    }
  };

  // Counts an occurrence in the CUDA thread that runs. `describe`: Finding(), called where this
  // occurrence is, so far, the one to be shown.
  template <class Describe>
  void add(const FindingKey& key, Describe describe) {
    add_in(linear_thread(), key, describe);
  }
  // The same in any thread of the block that runs, by its number there.
  template <class Describe>
  void add_in(unsigned thread, const FindingKey& key, Describe describe) {
    count(key, where(thread), [&](Group& group) {
      group.by = describe_thread(thread);
      group.finding = describe();
    });
  }
  // The same for a finding of several threads, of which the first is at `where`. `describe` says
  // whose it is.
  template <class Describe>
  void add_at(const FindingKey& key, const Where& where, Describe describe) {
    count(key, where, [&](Group& group) { group.finding = describe(); });
  }
  // One occurrence turns out to be none, whichever worker has added it.
  void withdraw(const FindingKey& key) { --groups_[key].count; }
  // Hands everything over to the report of the launch.
  void end_launch();

  struct Group {
    std::int64_t count = 0;
    bool is_described = false;  // what follows is known
    Where first;
    std::string by;  // "by thread (1,0,0) in block (2,0,0)"
    Finding finding;
  };

 private:
  template <class Describe>
  void count(const FindingKey& key, const Where& where, Describe describe) {
    Group& group = groups_[key];
    ++group.count;
    if (group.is_described && !(where < group.first)) return;
    group.is_described = true;
    group.first = where;
    describe(group);
  }
  static Where where(unsigned thread);
  static std::string describe_thread(unsigned thread);

  std::map<FindingKey, Group> groups_;
};

// To be called once all workers have ended the launch: prints its new findings on stderr.
void report_launch(const Grid& grid);
// The instruction there reads a value for a compare-and-swap that follows.
void note_read_before_swap(std::uintptr_t code);
// A finding that has been printed already, when it ended the launch of `kernel`.
void count_printed(FindingKind kind, const char* kernel, Site site, Site other);
// A function of the API has failed.
void report_api_error(const ApiError& error);
// A function of the API copies from there. Reports it if any of the bytes were never written.
void report_uninitialized_source(const ApiCopy& copy);
// The program frees memory that has been freed before, or was never allocated.
void report_bad_free(const ApiCaller& caller, std::uintptr_t pointer);
// The host's code has accessed the device's memory there.
void report_host_access(const Access& access);
// Memory that nobody has freed, when the program ends.
void report_leak(std::uintptr_t begin, std::size_t bytes);

// All of them, at the program's end: the summaries as lines of text, and one JSON object for each
// group of findings.
std::string summary();
std::vector<std::string> findings_as_json();

}  // namespace cucpu::trace
