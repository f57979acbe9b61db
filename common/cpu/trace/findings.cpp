#include "findings.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "checked_memory.h"
#include "cucpu/execution.h"
#include "cucpu/trace.h"
#include "cuda_runtime_api.h"
#include "grid.h"
#include "observer.h"
#include "report.h"
#include "settings.h"
#include "source_lines.h"
#include "source_path.h"
#include "stream_order.h"

namespace cucpu::trace {
namespace {

struct KindNames {
  const char* tool;
  const char* kind;
};

KindNames names(FindingKind kind) {
  switch (kind) {
    case FindingKind::out_of_bounds:
      return {"memcheck", "out_of_bounds"};
    case FindingKind::misaligned:
      return {"memcheck", "misaligned"};
    case FindingKind::use_after_free:
      return {"memcheck", "use_after_free"};
    case FindingKind::leak:
      return {"memcheck", "leak"};
    case FindingKind::api_error:
      return {"memcheck", "api_error"};
    case FindingKind::race:
      return {"racecheck", "race"};
    case FindingKind::uninitialized:
      return {"initcheck", "uninitialized"};
    case FindingKind::barrier_divergence:
      return {"synccheck", "barrier_divergence"};
    case FindingKind::invalid_mask:
      return {"synccheck", "invalid_mask"};
    case FindingKind::deadlock:
      return {"synccheck", "deadlock"};
  }
  return {};
}

// A group of findings, of all launches of one kernel.
struct Reported {
  FindingKind kind;
  std::string kernel;
  SourceLine place, other;
  std::string title, other_title;
  bool is_error;
  std::uint64_t count;
  std::string call = {}, error = {};  // of the API: the function, and its error's name

  bool is_like(const Reported& r) const {
    return std::tie(kind, kernel, place.file, place.line, other.line, title, other_title,
                    is_error) == std::tie(r.kind, r.kernel, r.place.file, r.place.line,
                                          r.other.line, r.title, r.other_title, r.is_error);
  }
};

struct All {
  std::mutex mutex;
  std::map<FindingKey, FindingLog::Group> launch;  // of the one that is under way
  std::vector<Reported> reported;
  std::set<std::uintptr_t> before_swap;  // code that reads what its thread then compares and swaps
  std::uint64_t leaked_bytes = 0;
  std::uint64_t leaked_allocations = 0;
};

// Never destroyed: what is reported at exit comes after most destructors.
All& all() {
  static All& a = *new All;
  return a;
}

bool is_same(const SourceLine& a, const SourceLine& b) {
  return a.line != 0 && a.line == b.line && a.file == b.file;
}
bool operator<(const SourceLine& a, const SourceLine& b) {
  return std::tie(a.file, a.line) < std::tie(b.file, b.line);
}

std::string text_of(dim3 d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

std::string text_of(const SourceLine& line) {
  return line.line == 0 ? line.file : line.file + ":" + std::to_string(line.line);
}

using Lines = std::unordered_map<std::uintptr_t, SourceLine>;

SourceLine line_of(const Place& place, const Lines& lines) {
  if (place.code != 0) return lines.at(place.code);
  if (place.site.file == nullptr) return {};
  return {as_seen_from_here(place.site.file), place.site.line};
}

// A plain read of a word that others change by atomic functions does no harm if the thread's own
// atomicCAS() comes next: it fails if the value has changed.
void excuse_reads_before_swap(const All& a, const FindingKey& key, FindingLog::Group& group) {
  const bool reads_atomic =
      group.finding.title == "Atomic access" && group.finding.other == "Read access";
  if (key.kind != FindingKind::race || !reads_atomic || !a.before_swap.contains(key.other.code))
    return;
  group.finding.is_error = false;
  group.finding.more.back() = group.finding.on_one_line =
      "The value read may be out of date; the atomicCAS() that follows notices that";
}

// Adds the group to what was reported; whether it is new.
bool add(All& a, Reported group) {
  for (Reported& known : a.reported) {
    if (!known.is_like(group)) continue;
    known.count += group.count;
    return false;
  }
  a.reported.push_back(std::move(group));
  return true;
}

std::string plural(std::uint64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string text_of_api_error(cudaError_t error, const std::string& function) {
  return std::string("Program hit ") + cudaGetErrorName(error) + " (error " +
         std::to_string(error) + ") due to \"" + cudaGetErrorString(error) +
         "\" on CUDA API call to " + function + ".";
}

// Prints `text` and the place of the call, unless one like it has been reported.
void report_call(const ApiCaller& caller, Reported reported, std::string text) {
  All& a = all();
  const std::lock_guard lock(a.mutex);
  const auto code = reinterpret_cast<std::uintptr_t>(caller.returns_to);
  if (code != 0) reported.place = source_lines({code}).at(code);
  if (reported.place.line != 0) text += "=========     at " + text_of(reported.place) + "\n";
  reported.call = caller.function;
  if (add(a, std::move(reported))) print_report(text + "=========");
}

std::string text_of_race(const Reported& race, const FindingLog::Group& group) {
  return std::string("========= ") + (race.is_error ? "Error" : "Warning") +
         ": Race reported between " + group.finding.title + " at " + race.kernel + " in " +
         text_of(race.place) + "\n=========     and " + group.finding.other + " at " + race.kernel +
         " in " + text_of(race.other) + " [" + plural(race.count, "hazard") + "]\n";
}

std::string text_of(const Reported& reported, const FindingLog::Group& group) {
  std::string text;
  if (reported.kind == FindingKind::race) {
    text = text_of_race(reported, group);
  } else {
    text = "========= " + reported.title + "\n=========     at " + reported.kernel + " in " +
           text_of(reported.place) + "\n=========     " + group.by + "\n";
    if (!reported.other_title.empty())
      text += "=========     " + reported.other_title + " in " + text_of(reported.other) + "\n";
  }
  std::vector<std::string> more = group.finding.more;
  if (reported.kind == FindingKind::race && is_same(reported.place, reported.other))
    more.back() = group.finding.on_one_line;
  for (const std::string& line : more) text += "=========     " + line + "\n";
  if (reported.kind != FindingKind::race && reported.count > 1)
    text += "=========     and " + std::to_string(reported.count - 1) + " more like it\n";
  return text + "=========\n";
}

}  // namespace

std::string text_of_address(std::uintptr_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "%#zx", static_cast<std::size_t>(address));
  return text;
}

FindingLog::Where FindingLog::where(unsigned thread) {
  const std::uint64_t block =
      blockIdx.x + std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
  return {.block = block, .thread = thread};
}

std::string FindingLog::describe_thread(unsigned thread) {
  const dim3 index(thread % blockDim.x, thread / blockDim.x % blockDim.y,
                   thread / blockDim.x / blockDim.y);
  return "by thread " + text_of(index) + " in block " + text_of(dim3(blockIdx));
}

void FindingLog::end_launch() {
  if (groups_.empty()) return;
  All& a = all();
  const std::lock_guard lock(a.mutex);
  for (auto& [key, group] : groups_) {
    Group& sum = a.launch[key];
    sum.count += group.count;
    if (!group.is_described || (sum.is_described && !(group.first < sum.first))) continue;
    sum.is_described = true;
    sum.first = group.first;
    sum.by = std::move(group.by);
    sum.finding = std::move(group.finding);
  }
  groups_.clear();
}

void report_launch(const Grid& grid) {
  All& a = all();
  const std::lock_guard lock(a.mutex);
  if (a.launch.empty()) return;
  std::vector<std::uintptr_t> code;
  for (const auto& [key, group] : a.launch)
    for (const Place& place : {key.place, key.other})
      if (place.code != 0) code.push_back(place.code);
  const Lines lines = source_lines(code);
  std::vector<std::pair<Reported, FindingLog::Group>> found;
  for (auto& [key, group] : std::exchange(a.launch, {})) {
    excuse_reads_before_swap(a, key, group);
    const bool is_local_array = key.variety == kLocalArray;
    if (is_local_array && key.other.code != 0 &&
        line_of(key.other, lines).line == key.place.site.line)
      continue;
    Reported reported{key.kind,
                      grid.task.name,
                      line_of(key.place, lines),
                      is_local_array ? SourceLine() : line_of(key.other, lines),
                      group.finding.title,
                      group.finding.other,
                      group.finding.is_error,
                      static_cast<std::uint64_t>(group.count)};
    // Which of two writes comes first, is for their lines to say.
    if (reported.title == reported.other_title && reported.other < reported.place)
      std::swap(reported.place, reported.other);
    // A line has many instructions where a loop is unrolled.
    const auto same = std::find_if(found.begin(), found.end(),
                                   [&](const auto& f) { return f.first.is_like(reported); });
    if (same == found.end()) {
      found.emplace_back(std::move(reported), std::move(group));
    } else {
      same->first.count += reported.count;
      if (group.first < same->second.first) same->second = std::move(group);
    }
  }
  for (const auto& [reported, group] : found)
    if (reported.count != 0 && add(a, reported)) print_report(text_of(reported, group));
  std::fflush(stderr);
}

void note_read_before_swap(std::uintptr_t code) {
  All& a = all();
  const std::lock_guard lock(a.mutex);
  a.before_swap.insert(code);
}

void count_printed(FindingKind kind, const char* kernel, Site site, Site other) {
  All& a = all();
  const std::lock_guard lock(a.mutex);
  add(a, {kind, kernel, line_of({0, site}, {}), line_of({0, other}, {}), "", "", true, 1});
}

void report_api_error(const ApiError& error) {
  const std::string title = text_of_api_error(error.error, error.caller.function);
  std::string text = "========= " + title + "\n";
  if (error.kernel[0] != '\0')
    text += std::string("=========     for a launch of ") + error.kernel + "\n";
  Reported reported{FindingKind::api_error, error.kernel, {}, {}, title, "", /*is_error=*/true, 1};
  reported.error = cudaGetErrorName(error.error);
  report_call(error.caller, std::move(reported), text);
}

void report_uninitialized_source(const ApiCopy& copy) {
  const auto undefined = checked_memory::find_undefined(copy.begin, copy.bytes);
  if (!undefined) return;
  const std::string what = std::string(copy.caller.function) + " source";
  const std::string text = "========= Host API memory access error at host access to " +
                           text_of_address(reinterpret_cast<std::uintptr_t>(copy.begin)) +
                           " of size " + plural(copy.bytes, "byte") +
                           "\n=========     Uninitialized access to " +
                           text_of_address(undefined->first) + " on access by " + what + "\n";
  report_call(copy.caller,
              {FindingKind::uninitialized,
               "",
               {},
               {},
               "Uninitialized access by " + what,
               "",
               /*is_error=*/true,
               undefined->sectors},
              text);
}

void report_bad_free(const ApiCaller& caller, std::uintptr_t pointer) {
  const bool was_freed = checked_memory::freed_at(pointer).has_value();
  const std::string title = text_of_api_error(cudaErrorInvalidValue, caller.function);
  const std::string text =
      "========= " + title + "\n=========     Address " + text_of_address(pointer) + " is " +
      (was_freed ? "inside an allocation that has been freed" : "not that of an allocation") + "\n";
  const FindingKind kind = was_freed ? FindingKind::use_after_free : FindingKind::out_of_bounds;
  report_call(caller, {kind, "", {}, {}, title, "", /*is_error=*/true, 1}, text);
}

void report_host_access(const Access& access) {
  All& a = all();
  const std::lock_guard lock(a.mutex);
  const SourceLine place = source_lines({access.code}).at(access.code);
  const std::string title = std::string("Invalid host ") +
                            (access.kind == Kind::load ? "read" : "write") +
                            " of device memory of size " + plural(access.bytes, "byte");
  const SourceLine none;
  if (!add(a, {FindingKind::out_of_bounds, "", place, none, title, "", /*is_error=*/true, 1}))
    return;
  print_report("========= " + title + "\n=========     at " + text_of(place) +
               "\n=========     Address " + text_of_address(access.address) +
               " is in memory of cudaMalloc: only kernels and cudaMemcpy reach it\n=========");
}

void report_leak(std::uintptr_t begin, std::size_t bytes) {
  All& a = all();
  const std::lock_guard lock(a.mutex);
  std::fprintf(stderr, "========= Leaked %zu bytes at %#zx\n=========\n", bytes,
               static_cast<std::size_t>(begin));
  a.leaked_bytes += bytes;
  ++a.leaked_allocations;
  add(a, {FindingKind::leak, "", {}, {}, "", "", settings().tools.leakcheck, 1});
}

bool is_checking() { return settings().tools.check(); }

std::uint64_t found_errors() {
  wait_for_all();
  All& a = all();
  const std::lock_guard lock(a.mutex);
  std::uint64_t errors = 0;
  // A race is one error, however many accesses are at odds; of other findings each is one.
  for (const Reported& r : a.reported)
    if (r.is_error) errors += r.kind == FindingKind::race ? 1 : r.count;
  return errors;
}

std::string summary() {
  const std::uint64_t error_sum = found_errors();
  All& a = all();
  const std::lock_guard lock(a.mutex);
  std::string text;
  if (a.leaked_allocations != 0)
    text += "========= LEAK SUMMARY: " + std::to_string(a.leaked_bytes) + " bytes leaked in " +
            plural(a.leaked_allocations, "allocation") + "\n";
  if (settings().tools.racecheck) {
    std::uint64_t errors = 0;
    std::uint64_t warnings = 0;
    for (const Reported& r : a.reported)
      if (r.kind == FindingKind::race) ++(r.is_error ? errors : warnings);
    text += "========= RACECHECK SUMMARY: " + plural(errors + warnings, "hazard") + " displayed (" +
            plural(errors, "error") + ", " + plural(warnings, "warning") + ")\n";
  }
  return text + "========= ERROR SUMMARY: " + plural(error_sum, "error") + "\n";
}

std::vector<std::string> findings_as_json() {
  All& a = all();
  const std::lock_guard lock(a.mutex);
  std::vector<std::string> lines;
  for (const Reported& r : a.reported) {
    nlohmann::ordered_json json = {{"type", r.is_error ? "finding" : "warning"},
                                   {"tool", names(r.kind).tool},
                                   {"kind", names(r.kind).kind},
                                   {"kernel", r.kernel}};
    if (r.place.line != 0) {
      json["file"] = r.place.file;
      json["line"] = r.place.line;
    }
    if (r.other.line != 0) json["other_line"] = r.other.line;
    if (r.kind == FindingKind::race) {
      json["access"] = r.title;
      json["other_access"] = r.other_title;
    }
    if (!r.call.empty()) json["call"] = r.call;
    if (!r.error.empty()) json["error"] = r.error;
    json["count"] = r.count;
    lines.push_back(json.dump());
  }
  return lines;
}

}  // namespace cucpu::trace
