#pragma once

#include <cstddef>

namespace judge {

// The messages between the judge and the runner, which is linked with a learner's file: one JSON
// object per line. All data are in memory that both have mapped. The runner knows neither the
// exercise nor what is right: it copies bytes to the device, calls solve, and copies bytes back.
// Each command has a nonce that the reply repeats, so that nobody can answer beforehand.
//
//   {"nonce", "do": "call", "arrays": [{"at", "bytes", "zone", "shift", "fill"}], "sizes"}
//     Allocates each array with a red zone before and after it, `shift` bytes further than the
//     allocator would have it. Its bytes and zones are those at place `at` of the memory, poison,
//     or count as never written: `fill` is "upload", "poison" or "none". Calls solve, and downloads
//     everything to where it came from.
//     -> {"nonce", "error", "thrown", "findings", "tools", "launches", "tables"}
//   {"nonce", "do": "launch", ...}
//     Calls solve, and waits for no kernel: whether they can be launched is the question.
//     -> {"nonce", "error", "thrown"}
//   {"nonce", "do": "time", ..., "output", "modified"}
//     Calls solve after a flush of the L2 cache, whose lines are modified then, or clean, and times
//     it. Downloads nothing, but keeps a copy of what the output is when the timer stops.
//     -> {"nonce", "error", "thrown", "milliseconds", "leftover_milliseconds", "clocks"}
//   {"nonce", "do": "download", "pieces": [{"from", "bytes", "at"}]}
//     Downloads pieces of that copy.
//     -> {"nonce", "error"}

/// The runner's descriptors: commands come in, replies go out; and the memory. They are far from
/// those that a program opens itself.
inline constexpr int kCommands = 200;
inline constexpr int kReplies = 201;
inline constexpr int kMemory = 202;

/// Arrays begin at multiples of this in the memory, as cudaMalloc's do.
inline constexpr std::size_t kAlignment = 256;

}  // namespace judge
