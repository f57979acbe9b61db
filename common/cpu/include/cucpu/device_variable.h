// Stands behind each __device__ and __managed__ variable, and tells those who trace the program
// where it is.
#pragma once

#include <cstddef>

namespace cucpu {

class DeviceVariable {
 public:
#ifdef CUCPU_TRACED
  DeviceVariable(const volatile void* variable, std::size_t bytes);
#else
  constexpr DeviceVariable(const volatile void*, std::size_t) {}
#endif
};

}  // namespace cucpu
