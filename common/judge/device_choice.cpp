#include "judge/device_choice.h"

#include <cuda_runtime.h>

#include <cstdlib>
#include <sstream>

#include "device/check.h"

namespace judge {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

}  // namespace

std::string visible_device(const char* visible, int number) {
  if (visible == nullptr) return std::to_string(number);
  std::istringstream list(visible);
  std::string name;
  for (int i = 0; i <= number; ++i) std::getline(list, name, ',');
  return name;
}

void choose_device(int number) {
  CUDA_CHECK(cudaSetDevice(number));
  setenv(kVisible, visible_device(std::getenv(kVisible), number).c_str(), 1);
}

}  // namespace judge
