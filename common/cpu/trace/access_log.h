// The requests of the first block of each launch, one by one, for drawings of what its warps do
// (CUCPU_TOOLS=accesses).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program_image.h"
#include "requests.h"

namespace cucpu::trace {

struct LoggedRequest {
  unsigned warp;
  Space space;
  Kind kind;
  bool is_copy;  // half of an asynchronous copy
  unsigned bytes;
  std::uint32_t lanes;
  std::uint64_t units;  // sectors or wavefronts
  std::uintptr_t code;
  unsigned memory = 0;  // global: which of the allocations, by address, from 1; 0: of none
  std::vector<std::uint64_t> addresses;  // of those lanes; once placed, offsets
};

// One worker's log.
class AccessLog {
 public:
  // Adds the accesses that these lanes of the row make in one space.
  void add(const Row& row, unsigned warp, Space space, std::uint32_t lanes, std::uint64_t units);
  // The block has ended: addresses become offsets, into the allocation (`global`, ascending) or
  // from the beginning of the block's shared memory, of static variables or else dynamic.
  void place(const std::vector<Extent>& global, const Extent& static_shared,
             const Extent& dynamic_shared);
  // Hands over what was logged.
  void end_launch();

 private:
  std::vector<LoggedRequest> requests_;
};

// All workers have ended the launch.
void end_logged_launch(const char* kernel);

// A line of JSON for each request, launch after launch.
std::vector<std::string> accesses_as_json();

}  // namespace cucpu::trace
