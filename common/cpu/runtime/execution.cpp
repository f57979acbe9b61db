// Hands the calls of device code to the worker that runs it.
#include "cucpu/execution.h"

#include "cucpu/launch.h"
#include "driver_types.h"
#include "grid.h"
#include "observer.h"
#include "worker.h"

namespace cucpu {
namespace {

Worker& worker_in_kernel(const char* what, Site site) {
  if (this_worker == nullptr) fault(cudaErrorLaunchFailure, what, site);
  return *this_worker;
}

}  // namespace

bool in_kernel() { return this_worker != nullptr; }

bool next_thread_slow() { return this_worker->end_thread(); }

void wait_at_barrier(const char* what, Site site) { block_barrier(false, what, site); }

BarrierCount block_barrier(bool predicate, const char* what, Site site) {
  return worker_in_kernel(what, site).block_barrier(predicate, what, site);
}

const WarpExchange& warp_exchange(std::uint32_t mask, std::uint64_t value, const char* what,
                                  Site site) {
  return worker_in_kernel(what, site).warp_exchange(mask, value, what, site);
}

// For traced programs (cucpu/execution.h, cucpu/lowered.h).
namespace traced {
void note_early_exit();
void note_early_exit() {
  if (this_observer != nullptr) this_observer->leave_early();
}

WarpExchange warp_exchange(std::uint32_t mask, std::uint64_t value, const char* what, Site site);
WarpExchange warp_exchange(std::uint32_t mask, std::uint64_t value, const char* what, Site site) {
  return worker_in_kernel(what, site).warp_exchange(mask, value, what, site);
}

const WarpExchange& warp_exchange_in_place(std::uint32_t mask, std::uint64_t value,
                                           const char* what, Site site);
const WarpExchange& warp_exchange_in_place(std::uint32_t mask, std::uint64_t value,
                                           const char* what, Site site) {
  return worker_in_kernel(what, site).warp_exchange(mask, value, what, site);
}
}  // namespace traced

std::uint32_t active_mask(Site site, const void* caller) {
  return worker_in_kernel("__activemask()", site)
      .active_mask({site, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
                    reinterpret_cast<std::uintptr_t>(caller),
                    reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))});
}

void yield(const char* what, Site site) {
  if (this_worker != nullptr) this_worker->yield(what, site);
}

void wait_for_wake(const void* key, const char* what, Site site) {
  worker_in_kernel(what, site).park(key, what, site);
}

void wake(const void* key) {
  if (this_worker != nullptr) this_worker->wake(key);
}

bool is_cooperative_launch() { return in_kernel() && this_worker->grid()->config.cooperative; }

std::uint32_t arrive_at_grid_barrier(const char* what, Site site) {
  Worker& worker = worker_in_kernel(what, site);
  if (!is_cooperative_launch())
    fault(cudaErrorLaunchFailure,
          "grid.sync() and grid.barrier_arrive() need cudaLaunchCooperativeKernel", site);
  worker.block_barrier(false, what, site);
  return linear_thread() == 0 ? worker.grid()->arrive_with_block() : 0;
}

void wait_at_grid_barrier(std::uint32_t token, const char* what, Site site) {
  Worker& worker = worker_in_kernel(what, site);
  // One thread waits for the other blocks, each of which has a host thread of its own.
  if (linear_thread() == 0 && !worker.wait_for_all_blocks(token)) {
    if (worker.grid()->error() != cudaErrorLaunchTimeout) worker.abandon_block();
    fault(cudaErrorLaunchTimeout,
          "The other blocks of the grid do not come to grid.sync() or grid.barrier_arrive()", site);
  }
  if (linear_thread() == 0 && this_observer != nullptr) this_observer->grid_met();
  worker.block_barrier(false, what, site, true);
}

void grid_barrier(Site site) {
  constexpr const char* kWhat = "grid.sync()";
  wait_at_grid_barrier(arrive_at_grid_barrier(kWhat, site), kWhat, site);
}

}  // namespace cucpu
