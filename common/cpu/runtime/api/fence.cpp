// Memory fences. A function of its own: compilers refuse to instrument fences in device code.
#include <atomic>

#include "cucpu/device/synchronization.h"

namespace cucpu {

void memory_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace cucpu
