// Memory fences. A function of its own: compilers refuse to instrument fences in device code.
#include <atomic>

#include "cucpu/device/synchronization.h"
#include "observer.h"

namespace cucpu {

void memory_fence(bool for_block_only) {
  if (this_observer != nullptr) {
    const ObserverAtWork at_work;
    this_observer->fence(for_block_only);
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace cucpu
