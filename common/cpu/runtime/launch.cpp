// Checks launches, and has the workers run them.
#include "cucpu/launch.h"

#include <atomic>
#include <memory>

#include "grid.h"
#include "report.h"
#include "settings.h"
#include "state.h"
#include "stream_order.h"
#include "worker.h"

namespace cucpu {
namespace {

constexpr dim3 kMaxGrid(0x7fffffff, 65535, 65535);
constexpr dim3 kMaxBlock(1024, 1024, 64);

bool fits(dim3 d, dim3 max) {
  return d.x >= 1 && d.y >= 1 && d.z >= 1 && d.x <= max.x && d.y <= max.y && d.z <= max.z;
}

// The error that the CUDA runtime gives for a launch that it does not even begin.
cudaError_t check_configuration(const LaunchConfig& config, const void* kernel) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (in_host_function()) return cudaErrorNotPermitted;
  if (!is_live_stream(config.stream)) return cudaErrorInvalidResourceHandle;
  const unsigned bound = max_threads_of(kernel);
  if (bound < kMaxBlockThreads && count(config.block) > bound) return cudaErrorInvalidValue;
  if (!fits(config.grid, kMaxGrid) || !fits(config.block, kMaxBlock) ||
      count(config.block) > kMaxBlockThreads)
    return cudaErrorInvalidConfiguration;
  if (config.shared_bytes > max_dynamic_shared_bytes(kernel)) return cudaErrorInvalidValue;
  const int resident =
      max_resident_blocks(static_cast<unsigned>(count(config.block)), config.shared_bytes);
  if (config.cooperative && count(config.grid) > static_cast<std::uint64_t>(resident))
    return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

std::atomic<std::size_t> stack_bytes = 64 * 1024;

}  // namespace

void launch_grid(const LaunchConfig& config, const Task& task) {
  if (in_kernel()) fault(cudaErrorNotSupported, "A kernel cannot be launched from a kernel here");
  const cudaError_t refused = check_configuration(config, task.address);
  if (refused != cudaSuccess) {
    report_error(refused, task.name, __builtin_return_address(0));
    record_error(refused);
    task.destroy(task.closure);
    return;
  }
  install_fault_handlers();
  // Launched through a pointer, a kernel goes by its own name all the same.
  Task named = task;
  if (const char* name = registered_name(task.address)) named.name = name;
  enqueue_launch(config.stream, std::make_unique<Grid>(config, named, worker_count()));
}

int worker_count() { return settings().workers; }
int multiprocessor_count() { return settings().multiprocessors; }

std::size_t thread_stack_bytes() { return stack_bytes; }
void set_thread_stack_bytes(std::size_t bytes) { stack_bytes = bytes; }

}  // namespace cucpu
