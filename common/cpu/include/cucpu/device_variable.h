// Objects that the lowering puts after each device variable, to register its address.
#pragma once

#include <cstddef>

namespace cucpu {

// Follows each __device__ and __managed__ variable; only traced programs register them.
class DeviceVariable {
 public:
#ifdef CUCPU_TRACED
  DeviceVariable(const volatile void* variable, std::size_t bytes);
#else
  constexpr DeviceVariable(const volatile void*, std::size_t) {}
#endif
};

// Follows each __constant__ variable.
class ConstantVariable {
 public:
  ConstantVariable(const volatile void* variable, std::size_t bytes);
};

}  // namespace cucpu
