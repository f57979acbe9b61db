#include "bench/peers.h"

namespace bench {

std::vector<problem::Baseline> further_peers(const problem::Problem&, const problem::Shape&) {
  return {};
}

}  // namespace bench
