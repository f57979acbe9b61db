#include "harness/step_test.h"
#include "rungs_here.h"

TEST_CASE("every kernel is right at every size") { harness::check_all_sizes(kStep); }

TEST_CASE("gemv is right with each number of threads per row") {
  for (const int threads : {32, 256, 512}) {
    harness::check_all_sizes<problem::Gemv>({32, 8 * threads}, {{"gemv", gemv}});
  }
}
