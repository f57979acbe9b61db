#include "lazy_fill.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>

namespace cucpu {
namespace {

constexpr std::size_t kPageBytes = 4096;
// Long enough that a large range takes few of the mappings that a process may have.
constexpr std::size_t kPatternBytes = std::size_t{32} << 20;

constexpr int kNone = -1;

// A file in memory that holds nothing but `value`, or kNone.
int make_pattern(unsigned char value) {
  const int file = memfd_create("cucpu", MFD_CLOEXEC);
  if (file < 0) return kNone;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  const auto chunk = std::make_unique<char[]>(kChunk);
  std::memset(chunk.get(), value, kChunk);
  for (std::size_t done = 0; done < kPatternBytes; done += kChunk) {
    if (write(file, chunk.get(), kChunk) == static_cast<ssize_t>(kChunk)) continue;
    close(file);
    return kNone;
  }
  return file;
}

// Kept for good, since memory may be asked for at any time.
int pattern_of(unsigned char value) {
  static std::mutex mutex;
  static std::array<int, 256> files = [] {
    std::array<int, 256> none;
    none.fill(kNone);
    return none;
  }();
  const std::lock_guard lock(mutex);
  int& file = files[value];
  if (file == kNone) file = make_pattern(value);
  return file;
}

// Each page is the pattern's until it is written to, and then the range's own.
bool map_pattern(char* begin, std::size_t bytes, int pattern) {
  for (std::size_t done = 0; done < bytes; done += kPatternBytes) {
    const std::size_t part = std::min(kPatternBytes, bytes - done);
    void* const mapped = mmap(begin + done, part, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, pattern, 0);
    if (mapped == MAP_FAILED) return false;
  }
  return true;
}

}  // namespace

void fill(void* begin, std::size_t bytes, unsigned char value) {
  char* const first = static_cast<char*>(begin);
  const int pattern = bytes < kFilledWhenTouched ? kNone : pattern_of(value);
  const std::size_t head = -reinterpret_cast<std::uintptr_t>(first) % kPageBytes;
  const std::size_t pages = pattern == kNone ? 0 : (bytes - head) / kPageBytes * kPageBytes;
  if (pages == 0 || !map_pattern(first + head, pages, pattern)) {
    std::memset(first, value, bytes);
    return;
  }
  std::memset(first, value, head);
  std::memset(first + head + pages, value, bytes - head - pages);
}

}  // namespace cucpu
