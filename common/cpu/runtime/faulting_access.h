// What the processor does not say of an access that it refused.
#pragma once

namespace cucpu {

// Of a signal's context (its third argument): whether the address that the instruction asked for is
// one that memory could have. Then the access was refused for its alignment.
bool asked_for_possible_address(const void* context);

}  // namespace cucpu
