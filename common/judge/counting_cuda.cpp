#include "judge/counting.h"

namespace judge {

void settle() {}

void start_counting() {}

Counts take_counts() { return {}; }

std::size_t found_errors() { return 0; }

}  // namespace judge
