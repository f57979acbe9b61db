#include "device/checkers.h"

#include <stdexcept>

namespace device {

void start_checking(char* const*) { throw std::runtime_error("compute-sanitizer checks on a GPU"); }

bool AllowUninitializedCopies::set(bool) { return false; }

std::size_t found_errors() { return 0; }

}  // namespace device
