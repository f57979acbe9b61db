#pragma once

namespace harness {

/// Bytes of host memory that can still be used: what the system has available, or what is left of
/// this process' control group, whichever is less. Infinite where the system does not tell.
double available_host_memory();

}  // namespace harness
