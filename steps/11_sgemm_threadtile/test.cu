#include "harness/step_test.h"
#include "rungs.h"

TEST_CASE("every kernel is right at every size") { harness::check_all_sizes(kStep); }
