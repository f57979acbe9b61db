#include "judge/goal.h"

namespace judge {

Goal bytes_moved(double most) {
  return {"times the bytes that have to move", most,
          [](const Work& work) { return work.sectors * kSectorBytes / work.bytes; }};
}

Goal atomics_per_element(double most) {
  return {"atomics on global memory per element", most,
          [](const Work& work) { return work.global_atomics / work.elements; }};
}

Goal loads_per_fma(double most, double (*fmas)(const std::vector<int>& sizes)) {
  constexpr double kWarp = 32;
  return {"load instructions per FMA", most,
          [fmas](const Work& work) { return work.loads * kWarp / fmas(work.sizes); }};
}

}  // namespace judge
