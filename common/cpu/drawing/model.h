// The contents of a drawing (CUCPU_DRAW): a program's requests, by launch, line, block and warp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cucpu/dim3.h"
#include "cucpu/trace.h"
#include "patterns.h"

namespace cucpu::drawing {

using trace::AccessCount;
using trace::Kind;
using trace::MemoryPlace;
using trace::PatternKey;
using trace::Space;

constexpr unsigned kNone = ~0u;

// A pattern of one access.
struct PatternUse {
  unsigned picture;  // its index; kNone: it is one too many to be drawn
  std::uint64_t count;
  std::uint64_t block;  // the first that has it, linear
  unsigned warp;
  MemoryPlace place;    // of the first line of it there
  std::uint32_t units;  // sectors or wavefronts, each
};

// The accesses of one line to one space, with one width.
struct Access {
  Space space;
  Kind kind;
  unsigned bytes;  // per lane
  bool is_copy;    // half of an asynchronous copy
  AccessCount count;
  std::vector<PatternUse> patterns;  // the costliest ones
  std::uint64_t left_out = 0;        // requests of other patterns

  std::uint64_t units() const;  // sectors or wavefronts
  double least() const;         // that would do, per request
};

struct Line {
  unsigned file;  // its index
  unsigned line;
  std::vector<Access> accesses;  // the costliest first

  std::uint64_t cost() const;
};

struct ShownRequest {
  unsigned line, access;  // their indices
  unsigned picture;
  MemoryPlace place;
};

struct ShownWarp {
  std::vector<ShownRequest> requests;
  std::uint64_t left_out;  // that came after them
};

struct ShownBlock {
  std::uint64_t block;  // linear
  std::vector<ShownWarp> warps;
};

struct Launch {
  std::string kernel;
  dim3 grid, block;
  std::uint64_t times;      // that it was launched alike
  std::vector<Line> lines;  // the costliest first
  std::vector<ShownBlock> blocks;
  std::vector<std::size_t> memories;  // bytes of each allocation and variable
};

struct SourceText {
  unsigned number;
  std::string text;
};

struct SourceFile {
  std::string name;
  std::vector<SourceText> lines;  // those around accesses; none if the file cannot be read
};

struct Drawing {
  std::string program;
  std::vector<SourceFile> files;
  std::vector<Launch> launches;      // in order
  std::uint64_t launches_left_out;   // cheaper ones
  std::vector<PatternKey> pictures;  // that differ: of no instruction in particular

  // Those of the launch that costs most; null if no launch accesses anything.
  const Launch* costliest() const;
};

// `program`: its name.
Drawing drawing_of(const std::string& program, const trace::DrawnLaunches& drawn);

}  // namespace cucpu::drawing
