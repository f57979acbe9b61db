// Launches by address, what is set for a kernel, and how many of its blocks fit on the device.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "call.h"
#include "cucpu/launch.h"
#include "cuda_runtime_api.h"
#include "device_limits.h"

namespace cucpu {
namespace {

struct KernelSettings {
  std::size_t dynamic_shared_bytes = kDefaultSharedBytes;
  int carveout = cudaSharedmemCarveoutDefault;
};

std::mutex settings_mutex;
std::unordered_map<const void*, KernelSettings>& settings_by_kernel() {
  static auto& settings = *new std::unordered_map<const void*, KernelSettings>;
  return settings;
}

KernelSettings settings_of(const void* kernel) {
  const std::lock_guard lock(settings_mutex);
  const auto found = settings_by_kernel().find(kernel);
  return found == settings_by_kernel().end() ? KernelSettings{} : found->second;
}

int round_up(int value, int step) { return (value + step - 1) / step * step; }

// Blocks that one SM holds at once; 0 if not even one fits.
int blocks_per_multiprocessor(int threads, std::size_t shared_bytes) {
  if (threads > kMaxThreadsPerBlock || shared_bytes > kMaxSharedBytes) return 0;
  const int by_threads = kMaxThreadsPerMultiprocessor / round_up(threads, kWarpLanes);
  const int by_shared =
      static_cast<int>(kSharedBytesPerMultiprocessor / (shared_bytes + kReservedSharedBytes));
  return std::min({by_threads, by_shared, kMaxBlocksPerMultiprocessor});
}

cudaError_t launch_by_address(const void* kernel, dim3 grid, dim3 block, void** arguments,
                              std::size_t shared_bytes, cudaStream_t stream, bool cooperative,
                              const char* function = __builtin_FUNCTION(),
                              const void* returns_to = __builtin_return_address(0)) {
  // The launcher records its own errors.
  if (const cudaError_t earlier = sticky_error(); earlier != cudaSuccess) return earlier;
  ApiCall call(function, returns_to);
  if (!is_live_stream(stream)) return call.end(cudaErrorInvalidResourceHandle);
  LaunchConfig config(grid, block, shared_bytes, stream);
  config.cooperative = cooperative;
  // If the launch is refused, its error becomes the last one; otherwise an older one comes back.
  const cudaError_t before = cudaGetLastError();
  if (!launch_registered(config, kernel, arguments))
    return call.end(cudaErrorInvalidDeviceFunction);
  const cudaError_t error = cudaPeekAtLastError();
  if (error == cudaSuccess) record_error(before);
  return error;
}

}  // namespace

std::size_t max_shared_bytes(const void* kernel) {
  return max_dynamic_shared_bytes(kernel) > kDefaultSharedBytes ? kMaxSharedBytes
                                                                : kDefaultSharedBytes;
}

std::size_t max_dynamic_shared_bytes(const void* kernel) {
  // A kernel that only the arguments choose is launched without its address: what has been set for
  // it cannot be found.
  if (kernel == nullptr) return kMaxSharedBytes;
  return settings_of(kernel).dynamic_shared_bytes;
}

int max_resident_blocks(unsigned threads, std::size_t shared_bytes) {
  return multiprocessor_count() *
         blocks_per_multiprocessor(static_cast<int>(threads), shared_bytes);
}

void reset_kernel_attributes() {
  const std::lock_guard lock(settings_mutex);
  settings_by_kernel().clear();
}

}  // namespace cucpu

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return cucpu::launch_by_address(kernel, grid, block, arguments, shared_bytes, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  return cucpu::launch_by_address(kernel, grid, block, arguments, shared_bytes, stream, true);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return cucpu::api_call([=] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const cucpu::KernelSettings settings = cucpu::settings_of(kernel);
    *attributes = {};
    attributes->maxThreadsPerBlock = static_cast<int>(cucpu::max_threads_of(kernel));
    attributes->ptxVersion = 90;
    attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(settings.dynamic_shared_bytes);
    attributes->preferredShmemCarveout = settings.carveout;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return cucpu::api_call([=] {
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const std::lock_guard lock(cucpu::settings_mutex);
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || static_cast<std::size_t>(value) > cucpu::kMaxSharedBytes)
          return cudaErrorInvalidValue;
        cucpu::settings_by_kernel()[kernel].dynamic_shared_bytes = static_cast<std::size_t>(value);
        return cudaSuccess;
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared)
          return cudaErrorInvalidValue;
        cucpu::settings_by_kernel()[kernel].carveout = value;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config) {
  return cucpu::api_call([=] {
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    return cucpu::invalid_unless(config >= cudaFuncCachePreferNone &&
                                 config <= cudaFuncCachePreferEqual);
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig config) {
  return cucpu::api_call([=] {
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    return cucpu::invalid_unless(config >= cudaSharedMemBankSizeDefault &&
                                 config <= cudaSharedMemBankSizeEightByte);
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* kernel) {
  return cucpu::api_call([=] {
    if (name == nullptr) return cudaErrorInvalidValue;
    const char* registered = cucpu::registered_name(kernel);
    if (registered == nullptr) return cudaErrorInvalidDeviceFunction;
    *name = registered;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                          int threads, std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads,
                                                                shared_bytes, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                                   int threads,
                                                                   std::size_t shared_bytes,
                                                                   unsigned flags) {
  return cucpu::api_call([=] {
    if (blocks == nullptr || threads <= 0 || flags > cudaOccupancyDisableCachingOverride)
      return cudaErrorInvalidValue;
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    *blocks = cucpu::blocks_per_multiprocessor(threads, shared_bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* kernel,
                                                      int blocks, int threads) {
  return cucpu::api_call([=] {
    if (bytes == nullptr || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (blocks > cucpu::blocks_per_multiprocessor(threads, 0)) return cudaErrorInvalidValue;
    const std::size_t share =
        cucpu::kSharedBytesPerMultiprocessor / static_cast<std::size_t>(blocks);
    *bytes = std::min(share - cucpu::kReservedSharedBytes, cucpu::kMaxSharedBytes);
    return cudaSuccess;
  });
}
