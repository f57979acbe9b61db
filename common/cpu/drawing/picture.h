// One request as a picture: its lanes, and the words that they access in rows of 128 bytes.
#pragma once

#include <cstdint>
#include <string>

#include "patterns.h"

namespace cucpu::drawing {

// An SVG. Rows are labeled with the bytes from the beginning of the memory; `offset` is that of the
// first row. Scripts find
//   data-turns    on the whole: turns that the request takes (sectors or wavefronts)
//   data-l        on a word: the lanes that access it; on a lane: its number
//   data-t        on a word: the turn of each of these lanes, or a single one for all; on a lane:
//                 its turns
//   data-at       on a row's label: its distance from the first row, in bytes
// Draws parts that have to be in the page (picture_parts), and leaves the sizes of cells to its
// style.
std::string picture(const trace::PatternKey& pattern, std::int64_t offset);

std::string picture_parts();

}  // namespace cucpu::drawing
