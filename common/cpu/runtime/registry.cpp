// The kernels that can be launched by their address.
#include <mutex>
#include <optional>
#include <unordered_map>

#include "cucpu/launch.h"

namespace cucpu {
namespace {

struct RegisteredKernel {
  const char* name;
  unsigned max_threads;
  void (*launch)(const LaunchConfig&, const char*, const void*, void**);
};
// Filled before main() and, with instances of templates, by any thread of the host later on.
class Registry {
 public:
  void add(const void* address, RegisteredKernel kernel) {
    const std::lock_guard lock(mutex_);
    kernels_.emplace(address, kernel);
  }
  std::optional<RegisteredKernel> find(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find(address);
    if (found == kernels_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, RegisteredKernel> kernels_;
};
Registry& registry() {
  static Registry r;
  return r;
}

}  // namespace

void KernelRegistration::add(const void* address, const char* name, unsigned max_threads,
                             LaunchErased launch_erased) {
  registry().add(address, {name, max_threads, launch_erased});
}

bool launch_registered(const LaunchConfig& config, const void* address, void** args) {
  const auto kernel = registry().find(address);
  if (!kernel) return false;
  kernel->launch(config, kernel->name, address, args);
  return true;
}

const char* registered_name(const void* address) {
  const auto kernel = registry().find(address);
  return kernel ? kernel->name : nullptr;
}

unsigned max_threads_of(const void* address) {
  const auto kernel = registry().find(address);
  return kernel ? kernel->max_threads : kMaxBlockThreads;
}

}  // namespace cucpu
