#include "barrier_checker.h"

#include <algorithm>

#include "cucpu/execution.h"

namespace cucpu::trace {

void BarrierChecker::reach_end() { first_at_end_ = std::min(first_at_end_, linear_thread()); }

void BarrierChecker::report() {
  findings_.add_in(first_at_end_, {FindingKind::barrier_divergence, {0, site_}, {}}, [] {
    return Finding{"Barrier error detected. Divergent thread(s) in block.",
                   "",
                   {"It came to the end of the kernel, past this barrier, where others wait"}};
  });
}

}  // namespace cucpu::trace
