#include "problem/problem.h"

#include <fmt/core.h>

#include "device/backend.h"

namespace problem {

std::size_t Size::standard(bool quick) const {
  if (device::kIsCpu) return quick ? cpu_quick : cpu_default;
  return quick ? cuda_quick : cuda_default;
}

double Problem::bytes(const Shape& shape) const {
  double elements = static_cast<double>(output_count(shape));
  for (const std::size_t count : input_counts(shape)) elements += static_cast<double>(count);
  return elements * sizeof(float);
}

std::string Problem::describe(const Shape& shape) const {
  std::string text;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ' ';
    text += fmt::format("{}={}", sizes()[i].name, shape[i]);
  }
  return text;
}

}  // namespace problem
