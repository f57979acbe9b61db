#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/variant.h"

namespace harness {

/// Stands for the launch function of a step's kernel, in a program that is linked with the step's
/// kernels: it need not compile them again.
template <class Problem>
class Launcher {
 public:
  constexpr Launcher(const Step<Problem>& step, std::string_view name) : step_(step), name_(name) {}

  /// Throws std::out_of_range where the step has no kernel of this name.
  operator typename Problem::Launch() const {
    const auto& all = step_.variants;
    const auto found = std::find_if(
        all.begin(), all.end(), [this](const Variant<Problem>& one) { return one.name == name_; });
    if (found == all.end()) throw std::out_of_range("no kernel " + std::string(name_));
    return found->launch;
  }

 private:
  const Step<Problem>& step_;
  std::string_view name_;
};

}  // namespace harness
