#include "problem/sgemm_reference.h"

#include <algorithm>
#include <cmath>

#include "problem/arithmetic.h"
#include "problem/parallel.h"

namespace problem {
namespace {

class SgemmHostReference : public Reference {
 public:
  SgemmHostReference(const Shape& shape, const std::vector<std::span<const float>>& inputs)
      : n_(shape[1]), k_(shape[2]), a_(inputs[0]), b_(inputs[1]) {}

  void expect(std::size_t first, std::span<double> value, std::span<double> bound) const override {
    const std::size_t grain = std::max<std::size_t>(kHostGrain / (k_ + 1), 1);
    parallel_for(value.size(), grain, [&](std::size_t begin, std::size_t end) {
      // A thread's part starts and ends anywhere in C: cut it into pieces of rows.
      while (begin < end) {
        const std::size_t row = (first + begin) / n_, col = (first + begin) % n_;
        const std::size_t count = std::min(end - begin, n_ - col);
        expect_in_row(row, col, value.subspan(begin, count), bound.subspan(begin, count));
        begin += count;
      }
    });
  }

 private:
  void expect_in_row(std::size_t row, std::size_t col, std::span<double> value,
                     std::span<double> bound) const {
    std::fill(value.begin(), value.end(), 0.0);
    std::fill(bound.begin(), bound.end(), 0.0);
    for (std::size_t k = 0; k < k_; ++k) {
      const double a = a_[row * k_ + k];
      const float* b = &b_[k * n_ + col];
      for (std::size_t j = 0; j < value.size(); ++j) {
        const double product = a * b[j];
        value[j] += product;
        bound[j] += std::abs(product);
      }
    }
    for (double& absolute : bound) absolute *= kSumFactor * kEps;
  }

  std::size_t n_, k_;
  std::span<const float> a_, b_;
};

}  // namespace

std::unique_ptr<Reference> sgemm_host_reference(const Shape& shape,
                                                const std::vector<std::span<const float>>& inputs) {
  return std::make_unique<SgemmHostReference>(shape, inputs);
}

}  // namespace problem
