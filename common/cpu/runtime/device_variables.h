// The __device__ and __managed__ variables of a traced program: global memory without an
// allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cucpu {

struct StaticVariable {
  std::uintptr_t begin;
  std::size_t bytes;
};
// Those of all files; one of a header may be there several times.
const std::vector<StaticVariable>& device_variables();
// __constant__ variables.
const std::vector<StaticVariable>& constant_variables();

}  // namespace cucpu
