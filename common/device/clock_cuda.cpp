#include <cuda_runtime.h>
#include <dlfcn.h>

#include "device/check.h"
#include "device/clock.h"

namespace device {
namespace {

// NVML comes with the driver and not with the Toolkit, so a program cannot be linked to it where
// there is no GPU. Its functions return 0 for success.
class Nvml {
 public:
  Nvml() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto initialize = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    const auto find = reinterpret_cast<int (*)(const char*, Device*)>(
        dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
    clock_ = reinterpret_cast<Clock>(dlsym(library, "nvmlDeviceGetClockInfo"));
    if (initialize == nullptr || find == nullptr || initialize() != 0) return;
    // The two number devices differently; the place on the bus is the same to both.
    int current = 0;
    char bus_id[32] = "";
    CUDA_CHECK(cudaGetDevice(&current));
    CUDA_CHECK(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, current));
    found_ = find(bus_id, &device_) == 0;
  }

  std::optional<int> clock_mhz() const {
    constexpr int kMultiprocessors = 1;  // NVML_CLOCK_SM
    unsigned mhz = 0;
    if (!found_ || clock_ == nullptr || clock_(device_, kMultiprocessors, &mhz) != 0) return {};
    return static_cast<int>(mhz);
  }

 private:
  using Device = void*;
  using Clock = int (*)(Device, int, unsigned*);

  Clock clock_ = nullptr;
  Device device_ = nullptr;
  bool found_ = false;
};

}  // namespace

std::optional<int> multiprocessor_clock_mhz() {
  static const Nvml nvml;  // a process uses one device
  return nvml.clock_mhz();
}

}  // namespace device
