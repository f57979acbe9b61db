#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/buffer.h"
#include "problem/problem.h"
#include "problem/verdict.h"

namespace problem {

/// The inputs of one run in host memory, and the right answer to them.
class Inputs {
 public:
  Inputs(const Problem& problem, const Shape& shape, const InputOptions& options);

  const Problem& problem() const { return problem_; }
  const Shape& shape() const { return shape_; }
  Values values() const { return values_; }
  const std::vector<std::span<const float>>& arrays() const { return arrays_; }
  const Reference& reference() const { return *reference_; }

  /// The reference's values and bounds of the outputs [first, first + count), at most a piece.
  /// They are valid until the next call.
  struct Expected {
    std::span<const double> value, bound;
  };
  Expected expect(std::size_t first, std::size_t count) const;

 private:
  const Problem& problem_;
  Shape shape_;
  Values values_;
  std::vector<std::unique_ptr<float[]>> storage_;
  std::vector<std::span<const float>> arrays_;
  std::unique_ptr<Reference> reference_;

  // The piece that was asked for last. All kernels of a step are compared with the same values, and
  // those that promise the same bits several times: most outputs are one piece.
  mutable std::vector<double> value_, bound_;
  mutable std::size_t first_ = 0, count_ = 0;
};

/// How many elements each base pointer lies off the allocator's alignment: inputs, then output.
using Offsets = std::vector<std::size_t>;

/// The arrays of one run in device memory, each between red zones.
class DeviceData {
 public:
  /// Uploads the inputs, which must outlive this.
  explicit DeviceData(const Inputs& inputs, const Offsets& offsets = {});

  const Operands& operands() const { return operands_; }

  /// Enqueues filling the output with NaN.
  void poison_output(cudaStream_t stream) { output_.poison(stream); }

  /// Compares the whole output with the reference. The stream that wrote it must be idle.
  Verdict check_output() const;

  /// Says which array was written outside its ends; empty when none was.
  std::string red_zone_fault() const;

  /// Says which input was written to; empty when none was.
  std::string input_fault() const;

  std::vector<float> download_output() const;

  /// A hash of the bits of the whole output (FNV-1a over its words): the same for the same
  /// bits, and hardly ever for others.
  std::uint64_t output_hash() const;

 private:
  const Inputs& inputs_;
  std::vector<std::unique_ptr<device::Buffer<float>>> input_buffers_;
  device::Buffer<float> output_;
  Operands operands_;
};

/// Memory that `Inputs` and `DeviceData` of this shape take together.
Footprint run_bytes(const Problem& problem, const Shape& shape);

}  // namespace problem
