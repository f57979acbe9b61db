// What stands behind variables of the device, and tells others where they are.
#pragma once

#include <cstddef>

namespace cucpu {

// Stands behind each __device__ and __managed__ variable, for those who trace the program.
class DeviceVariable {
 public:
#ifdef CUCPU_TRACED
  DeviceVariable(const volatile void* variable, std::size_t bytes);
#else
  constexpr DeviceVariable(const volatile void*, std::size_t) {}
#endif
};

// Stands behind each __constant__ variable.
class ConstantVariable {
 public:
  ConstantVariable(const volatile void* variable, std::size_t bytes);
};

}  // namespace cucpu
