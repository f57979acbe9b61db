#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "judge/exercise.h"

namespace judge {

/// The places of a case's arrays in the memory that the runner has mapped, with a red zone before
/// and after each (device/guards.h), of `zone` bytes.
class Layout {
 public:
  Layout(const Exercise& exercise, const Sizes& sizes, std::size_t zone);

  std::size_t bytes() const { return bytes_; }  ///< of all arrays and zones

  /// Inputs as `data` has them, poison in outputs, and red zones.
  void fill(const Exercise& exercise, const Data& data, unsigned char* memory) const;
  /// For the runner, which fills outputs as that says.
  nlohmann::ordered_json to_json(const Exercise& exercise, const std::string& outputs,
                                 std::size_t shift = 0) const;

  std::span<const unsigned char> data(std::size_t array, const unsigned char* memory) const;
  /// Says which element was written where none may be; empty when none was.
  std::string zone_fault(std::size_t array, std::size_t element_bytes,
                         const unsigned char* memory) const;

 private:
  struct Place {
    std::size_t at, bytes;
  };
  std::vector<Place> places_;
  std::size_t zone_;
  std::size_t bytes_ = 0;
};

}  // namespace judge
