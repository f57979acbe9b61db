// The statements of the chapter about its kernels, counted.
#include "harness/claims.h"
#include "kernels.h"

using harness::Count;
using harness::count;

constexpr std::size_t kElements = 1 << 16;

TEST_CASE("n atomics, all on one address") {
  const Count c = count<problem::Sum>(reduce_atomic, {kElements});
  CHECK(c.global_atomic.threads == kElements);
  CHECK(c.global_atomic.requests == kElements / 32);
  // The 32 lanes of a request have 4 bytes between them, and each takes its turn at their sector.
  CHECK(c.global_atomic.bytes_used == sizeof(float) * c.global_atomic.requests);
  CHECK(c.global_atomic.sectors_per_request() == 32);
}

TEST_CASE("reading is as good as in step 01: 4 sectors per request, each byte once") {
  const Count c = count<problem::Sum>(reduce_atomic, {kElements});
  CHECK(c.global_load.threads == kElements);
  CHECK(c.global_load.sectors_per_request() == 4);
  CHECK(c.global_load.efficiency() == 1);
  CHECK(c.global_store.requests == 0);
  CHECK(c.shared_load.requests + c.shared_store.requests + c.barriers == 0);
}
