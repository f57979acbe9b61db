// Finds what the processor does not tell about an access that it refused.
#pragma once

namespace cucpu {

// Whether memory could have the address that the instruction asked for: then the access was refused
// for its alignment. `context` is the third argument of a signal's handler.
bool asked_for_possible_address(const void* context);

}  // namespace cucpu
