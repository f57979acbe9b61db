#include "memory_checker.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "allocations.h"
#include "device_heap.h"
#include "device_variables.h"
#include "grid.h"

namespace cucpu::trace {
namespace {

const char* name_of(Space space) {
  switch (space) {
    case Space::shared:
      return "__shared__";
    case Space::local:
      return "__local__";
    default:
      return "__global__";
  }
}

const char* verb_of(Kind kind) {
  switch (kind) {
    case Kind::load:
      return "read";
    case Kind::store:
      return "write";
    case Kind::atomic:
      return "atomic";
  }
  return "";
}

// An access in the words of a report, and a number that tells it from others of its instruction.
std::string describe(const Access& access) {
  return std::string(name_of(access.space)) + " " + verb_of(access.kind) + " of size " +
         std::to_string(access.bytes) + " bytes";
}
unsigned variety_of(const Access& access) {
  return access.bytes << 8 | static_cast<unsigned>(access.kind) << 4 |
         static_cast<unsigned>(access.space);
}

// The position of an access relative to the allocation closest to it.
std::string relation(const Access& access, std::uintptr_t begin, std::size_t bytes) {
  const std::uintptr_t end = begin + bytes;
  std::string text = "and is ";
  if (access.address >= end)
    text += std::to_string(access.address - end + 1) + " bytes after";
  else if (access.address < begin)
    text += std::to_string(begin - access.address) + " bytes before";
  else
    text += access.address + access.bytes > end ? "partly outside" : "inside";
  return text + " the nearest allocation at " + text_of_address(begin) + " of size " +
         std::to_string(bytes) + " bytes";
}

std::vector<std::string> nearest(const Access& access, const std::string& what) {
  std::vector<std::string> lines = {"Address " + text_of_address(access.address) + " is " + what};
  if (access.space == Space::shared) return lines;
  const auto allocation =
      Allocations::instance().nearest(reinterpret_cast<const void*>(access.address));
  if (allocation) lines.push_back(relation(access, allocation->begin, allocation->bytes));
  return lines;
}

// Whether the process has memory there.
bool is_mapped(std::uintptr_t address) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char is_resident = 0;
  return mincore(reinterpret_cast<void*>(address / page * page), 1, &is_resident) == 0;
}

}  // namespace

void MemoryChecker::begin_launch(const Grid& grid) {
  // Libraries may have been loaded since the last launch.
  variables_ = static_memory();
  launchs_.clear();
  const auto add = [this](const void* begin, std::size_t bytes) {
    launchs_.push_back({reinterpret_cast<std::uintptr_t>(begin), bytes});
  };
  add(grid.task.closure, grid.task.closure_bytes);
  add(&threadIdx, sizeof threadIdx);
  add(&blockIdx, sizeof blockIdx);
  add(&blockDim, sizeof blockDim);
  add(&gridDim, sizeof gridDim);
}

bool MemoryChecker::check_closely(const Access& access, ByteState* states) {
  ByteState lowest = ByteState::defined;
  for (unsigned i = 0; i < access.bytes; ++i) lowest = std::min(lowest, states[i]);
  if (lowest == ByteState::freed) {
    const auto freed = checked_memory::freed_at(access.address);
    const std::string extent = freed ? " at " + text_of_address(freed->begin) + " of size " +
                                           std::to_string(freed->bytes) + " bytes"
                                     : "";
    report_invalid(access, FindingKind::use_after_free,
                   {"Address " + text_of_address(access.address) + " is out of bounds",
                    "and is inside an allocation" + extent + " that has been freed"});
    return false;
  }
  if (lowest == ByteState::outside) {
    if (is_in(launchs_, access.address)) return false;
    report_invalid(access, FindingKind::out_of_bounds, nearest(access, "out of bounds"));
    return false;
  }
  if (access.must_be_aligned && access.address % access.bytes != 0) {
    report_invalid(access, FindingKind::misaligned, nearest(access, "misaligned"));
    return false;
  }
  if (lowest == ByteState::undefined && access.kind != Kind::store && tools_.initcheck) {
    log_.add({FindingKind::uninitialized, {access.code, {}}, {}, variety_of(access)}, [&] {
      return Finding{std::string("Uninitialized ") + name_of(access.space) +
                         " memory read of size " + std::to_string(access.bytes) + " bytes",
                     "",
                     {"Address " + text_of_address(access.address)}};
    });
  }
  // Having been reported once, a byte is not reported again.
  std::fill_n(states, access.bytes, ByteState::defined);
  return true;
}

void MemoryChecker::check_unknown(const Access& access) {
  if (is_in(launchs_, access.address)) return;
  if (const auto freed = in_device_heap(access.address)) {
    report_invalid(
        access, FindingKind::use_after_free,
        {"Address " + text_of_address(access.address) + " is out of bounds",
         "and is inside an allocation at " + text_of_address(freed->begin) + " of size " +
             std::to_string(freed->bytes) + " bytes on the device heap that has been freed"});
    return;
  }
  std::vector<std::string> lines = nearest(access, "out of bounds");
  if (access.space != Space::shared && is_mapped(access.address))
    lines = {lines.front(), "and is in memory of the host, which kernels do not reach"};
  report_invalid(access, FindingKind::out_of_bounds, std::move(lines));
}

void MemoryChecker::report_bad_index(const BadIndex& bad, std::uintptr_t next) {
  if (!tools_.memcheck) return;
  log_.add({FindingKind::out_of_bounds, {0, bad.site}, {next, {}}, kLocalArray}, [&] {
    return Finding{"Invalid __local__ access",
                   "",
                   {"Index " + std::to_string(bad.index) + " is out of bounds of " + bad.array}};
  });
}

bool MemoryChecker::is_beyond_variable(const BadIndex& bad, const Access& next) {
  // 'float [4]', 'float [4][8]'
  const char* const bracket = std::strchr(bad.array, '[');
  const std::size_t elements = bracket != nullptr ? std::strtoull(bracket + 1, nullptr, 10) : 0;
  // Whether the array, with elements of that size, would begin in the variable.
  const auto is_of = [&](const StaticVariable& v, std::size_t element_bytes) {
    const std::uintptr_t array =
        next.address - static_cast<std::uintptr_t>(bad.index) * element_bytes;
    return array - v.begin < v.bytes;
  };
  const auto may_be_meant = [&](const StaticVariable& v) {
    return is_of(v, next.bytes) || (elements != 0 && is_of(v, v.bytes / elements));
  };
  return std::any_of(device_variables().begin(), device_variables().end(), may_be_meant) ||
         std::any_of(constant_variables().begin(), constant_variables().end(), may_be_meant);
}

void MemoryChecker::report_beyond_variable(const BadIndex& bad, const Access& access) {
  if (!tools_.memcheck) return;
  Access global = access.copy();
  global.space = Space::global;
  log_.add({FindingKind::out_of_bounds, {0, bad.site}, {}, variety_of(global)}, [&] {
    return Finding{"Invalid " + describe(global),
                   "",
                   {"Address " + text_of_address(global.address) + " is out of bounds",
                    "Index " + std::to_string(bad.index) + " is out of bounds of " + bad.array}};
  });
}

bool MemoryChecker::report_bad_free(std::uintptr_t address, bool was_freed, Site site) {
  if (!tools_.memcheck) return false;
  const FindingKind kind = was_freed ? FindingKind::use_after_free : FindingKind::out_of_bounds;
  log_.add({kind, {0, site}, {}, 0}, [&] {
    return Finding{
        std::string("Malloc/Free Error encountered : ") +
            (was_freed ? "Device-side double free" : "Invalid pointer to device-side free"),
        "",
        {"Address " + text_of_address(address)}};
  });
  return true;
}

bool MemoryChecker::is_in(const std::vector<Extent>& extents, std::uintptr_t address) {
  return std::any_of(extents.begin(), extents.end(),
                     [&](const Extent& extent) { return extent.contains(address); });
}

void MemoryChecker::report_invalid(const Access& access, FindingKind kind,
                                   std::vector<std::string> more) {
  if (!tools_.memcheck) return;
  log_.add({kind, {access.code, {}}, {}, variety_of(access)}, [&] {
    return Finding{"Invalid " + describe(access), "", std::move(more)};
  });
}

}  // namespace cucpu::trace
