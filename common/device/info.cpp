#include "device/info.h"

#include <cuda_runtime.h>

#include <filesystem>

#include "device/check.h"

namespace device {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

// The runtime packs 13.2 as 13020.
std::string version(int packed) {
  return std::to_string(packed / 1000) + "." + std::to_string(packed % 1000 / 10);
}

}  // namespace

int count() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  cudaGetLastError();
  return 0;
}

std::string why_no_device() {
  std::string why = "no CUDA device was found";
  if (!std::filesystem::exists("/proc/self"))
    why += ": /proc is not mounted, and the driver needs it";
  return why;
}

Info info(int device) {
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  constexpr int kKhzPerMhz = 1000;
  return {
      .name = properties.name,
      .multiprocessors = properties.multiProcessorCount,
      .l2_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, device)),
      .clock_mhz = attribute(cudaDevAttrClockRate, device) / kKhzPerMhz,
      .memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate, device) / kKhzPerMhz,
  };
}

std::size_t resident_threads() {
  int current = 0;
  CUDA_CHECK(cudaGetDevice(&current));
  return static_cast<std::size_t>(attribute(cudaDevAttrMultiProcessorCount, current)) *
         static_cast<std::size_t>(attribute(cudaDevAttrMaxThreadsPerMultiProcessor, current));
}

std::size_t free_memory() {
  std::size_t free = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return free;
}

std::string driver_version() {
  int packed = 0;
  CUDA_CHECK(cudaDriverGetVersion(&packed));
  return version(packed);
}

std::string toolkit_version() {
  int packed = 0;
  CUDA_CHECK(cudaRuntimeGetVersion(&packed));
  return version(packed);
}

}  // namespace device
