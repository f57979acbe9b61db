#include "device_variables.h"

// As traced programs see it.
#define CUCPU_TRACED
#include "cucpu/device_variable.h"
#undef CUCPU_TRACED

namespace cucpu {
namespace {

// Filled before main().
std::vector<StaticVariable>& variables() {
  static std::vector<StaticVariable> list;
  return list;
}
std::vector<StaticVariable>& constants() {
  static std::vector<StaticVariable> list;
  return list;
}

}  // namespace

DeviceVariable::DeviceVariable(const volatile void* variable, std::size_t bytes) {
  variables().push_back({reinterpret_cast<std::uintptr_t>(variable), bytes});
}

ConstantVariable::ConstantVariable(const volatile void* variable, std::size_t bytes) {
  constants().push_back({reinterpret_cast<std::uintptr_t>(variable), bytes});
}

const std::vector<StaticVariable>& device_variables() { return variables(); }
const std::vector<StaticVariable>& constant_variables() { return constants(); }

}  // namespace cucpu
