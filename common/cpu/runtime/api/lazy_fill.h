// Memory that is filled with a byte, page by page as it is touched where there is much of it.
#pragma once

#include <cstddef>

namespace cucpu {

// From here on filling at once would take too long; smaller ranges do better with large pages.
constexpr std::size_t kFilledWhenTouched = std::size_t{128} << 20;

// Fills the range, which lies in a private mapping that can be written to.
void fill(void* begin, std::size_t bytes, unsigned char value);

}  // namespace cucpu
