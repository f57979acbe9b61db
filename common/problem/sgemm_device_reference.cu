#include <cuda_runtime.h>

#include <cmath>

#include "device/buffer.h"
#include "problem/arithmetic.h"
#include "problem/sgemm_reference.h"

namespace problem {
namespace {

constexpr int kThreads = 256;

// Elements [first, first + count) of C, a thread each: the product, and its bound from the sum of
// absolute terms.
__global__ void sgemm_fp64_kernel(const float* A, const float* B, double* value, double* bound,
                                  std::size_t first, std::size_t count, std::size_t n,
                                  std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float* a = A + (first + i) / n * k;
  const float* b = B + (first + i) % n;
  double sum = 0, absolute = 0;
  for (std::size_t p = 0; p < k; ++p) {
    const double product = static_cast<double>(a[p]) * b[p * n];
    sum += product;
    absolute += fabs(product);
  }
  value[i] = sum;
  bound[i] = kSumFactor * kEps * absolute;
}

class SgemmDeviceReference : public Reference {
 public:
  SgemmDeviceReference(const Shape& shape, const std::vector<std::span<const float>>& inputs)
      : n_(shape[1]), k_(shape[2]), a_(inputs[0].size()), b_(inputs[1].size()) {
    a_.upload(inputs[0]);
    b_.upload(inputs[1]);
  }

  void expect(std::size_t first, std::span<double> value, std::span<double> bound) const override {
    if (value.empty()) return;
    const device::Buffer<double> device_value(value.size()), device_bound(value.size());
    const auto blocks = static_cast<unsigned>((value.size() + kThreads - 1) / kThreads);
    sgemm_fp64_kernel<<<blocks, kThreads>>>(a_.data(), b_.data(), device_value.data(),
                                            device_bound.data(), first, value.size(), n_, k_);
    CUDA_CHECK(cudaGetLastError());
    device_value.download(value);
    device_bound.download(bound);
  }

 private:
  std::size_t n_, k_;
  device::Buffer<float> a_, b_;
};

}  // namespace

std::unique_ptr<Reference> sgemm_device_reference(
    const Shape& shape, const std::vector<std::span<const float>>& inputs) {
  return std::make_unique<SgemmDeviceReference>(shape, inputs);
}

double sgemm_device_reference_bytes(const Shape& shape) {
  const double m = static_cast<double>(shape[0]), n = static_cast<double>(shape[1]);
  const double k = static_cast<double>(shape[2]);
  return (m * k + k * n) * sizeof(float) + 2.0 * kPiece * sizeof(double);
}

}  // namespace problem
