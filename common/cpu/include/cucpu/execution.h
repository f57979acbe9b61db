// Device code's view of the machine that runs it: its indices, and the points at which threads
// meet. The rest of CUDA's device side (shuffles, votes, cooperative groups, ...) is built on these
// few functions.
#pragma once

#include <cstdint>

#include "cucpu/dim3.h"
#include "cucpu/site.h"

// Plain thread-local variables: the scheduler sets them whenever another CUDA thread goes on.
extern constinit thread_local CUCPU_INDEX uint3 threadIdx;
extern constinit thread_local CUCPU_INDEX uint3 blockIdx;
extern constinit thread_local CUCPU_INDEX dim3 blockDim;
extern constinit thread_local CUCPU_INDEX dim3 gridDim;
constexpr int warpSize = 32;

namespace cucpu {

constexpr unsigned kMaxBlockThreads = 1024;

// True between the start and the end of a CUDA thread, false in host code.
bool in_kernel();

// threadIdx as one number, x fastest; the lane is its remainder by warpSize.
inline unsigned linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned lane_id() { return linear_thread() % warpSize; }
inline unsigned warp_id() { return linear_thread() / warpSize; }

struct BarrierCount {
  int arrived;     // threads of the block that took part
  int predicates;  // those of them whose predicate was true
};

// Waits for every thread of the block that has not exited. `what` names the caller in reports.
BarrierCount block_barrier(bool predicate, const char* what, Site site);

// The values that the lanes of one warp-wide operation brought along.
struct WarpExchange {
  std::uint64_t value[32];  // valid where `lanes` has a bit
  std::uint32_t lanes;      // the mask less lanes that do not exist or have exited

  bool has(unsigned lane) const { return lane < 32 && (lanes >> lane & 1) != 0; }
};

// Waits for every lane of `mask` that exists and has not exited, and returns what they brought.
// The result stays valid until this lane's next warp_exchange. Lanes meet that have the same mask
// and do the same; other masks may be pending meanwhile, whether they overlap or not. A caller
// outside its own mask is a fault.
#ifdef CUCPU_TRACED
inline namespace traced {
// A copy on the thread's own stack: reading it is no access to the host's memory.
WarpExchange warp_exchange(std::uint32_t mask, std::uint64_t value, const char* what, Site site);
// No copy: only bits_from_lane() may read it.
const WarpExchange& warp_exchange_in_place(std::uint32_t mask, std::uint64_t value,
                                           const char* what, Site site);
}  // namespace traced
#else
const WarpExchange& warp_exchange(std::uint32_t mask, std::uint64_t value, const char* what,
                                  Site site);
#endif

// The lanes that reach this place together: all that can get here before any of them goes on.
// `caller`: where the function that asks returns to; the place is another for each caller.
std::uint32_t active_mask(Site site, const void* caller);

// Lets the other threads of the block run first: the caller can only get on when another does.
void yield(const char* what, Site site);
// Waits until another thread of the block calls wake() with the same key.
void wait_for_wake(const void* key, const char* what, Site site);
void wake(const void* key);

// Waits for every block of a cooperative launch; a fault in any other launch.
void grid_barrier(Site site);
// The same in two parts, which all threads of a block call together. `what` names the caller.
std::uint32_t arrive_at_grid_barrier(const char* what, Site site);
void wait_at_grid_barrier(std::uint32_t token, const char* what, Site site);
bool is_cooperative_launch();

// Ends the launch: prints `message` with the thread and `site`, and makes `error` (a cudaError_t)
// the sticky error that later runtime calls return. `site.file` may be null.
[[noreturn]] void fault(int error, const char* message, Site site = {});

// Bytes of dynamic shared memory of this launch, and where they start.
std::uint32_t dynamic_shared_bytes();

}  // namespace cucpu

// All dynamic shared memory of the block that this worker runs; every `extern __shared__` array
// starts here. A link-time name, so that arrays at namespace scope can be declared on top of it.
namespace cucpu {
constexpr unsigned kMaxDynamicSharedBytes = 227 * 1024;
}
extern "C" __thread char cucpu_dynamic_shared[cucpu::kMaxDynamicSharedBytes];
