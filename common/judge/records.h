#pragma once

namespace judge {

/// The driver writes what happens to this file descriptor, one JSON object per line:
///   {"event": "case", "number", "of", "sizes", "values"}   before it calls solve
///   {"event": "findings", "case"}   the checkers found something for the first time, and yet the
///                                   result is right
///   {"event": "fail", ...}      what was wrong with the last case; there is no other one after it
///   {"event": "exit"}           solve ends the process
///   {"event": "done", ...}      all cases were right
///   {"event": "bench", ...}     what was timed
/// A learner's solve may spoil, block or end the process at any time, which is why each line is
/// written at once.
inline constexpr int kRecordsDescriptor = 3;

}  // namespace judge
