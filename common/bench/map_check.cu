#include "bench/map_check.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/buffer.h"
#include "device/check.h"

namespace bench {
namespace {

constexpr unsigned kBlocks = 1024, kThreads = 256;
constexpr std::size_t kSamples = 1024;
constexpr double kEps = 0x1p-24;

// All threads of a block have the sum.
__device__ double block_sum(double value) {
  __shared__ double values[kThreads];
  values[threadIdx.x] = value;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
  }
  __syncthreads();
  const double sum = values[0];
  __syncthreads();  // before the next sum
  return sum;
}

// The element of `count` that is sample number `i` of `samples`; the last one is the last sample.
__device__ std::size_t sample(std::size_t i, std::size_t samples, std::size_t count) {
  if (i + 1 == samples) return count - 1;
  const std::size_t spread = (count - 1) / (samples - 1);  // at least 1
  return i * spread + i * 7919 % spread;
}

__global__ void count_nan_kernel(const float* values, std::size_t count, unsigned* wrong) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if (values[i] != values[i]) atomicAdd(wrong, 1u);
  }
}

// A sum in fp64, and that of its absolute terms.
struct Sums {
  double plain, absolute;
};

// Element (row, col) of C, (rows, cols), is the sum of a[row * terms + k] * b[k * cols + col];
// without b, that of a. Block (i, j) adds part j of sample i to sums[i], which is zero at first.
__global__ void sums_kernel(const float* a, const float* b, std::size_t cols, std::size_t terms,
                            std::size_t count, Sums* sums) {
  const std::size_t i = sample(blockIdx.x, gridDim.x, count), row = i / cols, col = i % cols;
  const std::size_t step = std::size_t{gridDim.y} * blockDim.x;
  double sum = 0, absolute = 0;
  for (std::size_t k = std::size_t{blockIdx.y} * blockDim.x + threadIdx.x; k < terms; k += step) {
    const double term = a[row * terms + k] * (b == nullptr ? 1.0 : b[k * cols + col]);
    sum += term;
    absolute += fabs(term);
  }
  sum = block_sum(sum);
  absolute = block_sum(absolute);
  if (threadIdx.x > 0) return;
  atomicAdd(&sums[blockIdx.x].plain, sum);
  atomicAdd(&sums[blockIdx.x].absolute, absolute);
}

// One thread per sample. Rounding may add up to some eps of the sum of absolute terms.
__global__ void check_sums_kernel(const float* c, std::size_t count, const Sums* sums,
                                  unsigned* wrong) {
  constexpr double kRoundings = 16;
  const Sums& right = sums[blockIdx.x];
  const float value = c[sample(blockIdx.x, gridDim.x, count)];
  const bool is_right = fabs(value - right.plain) <= kRoundings * kEps * right.absolute;
  if (!is_right) atomicAdd(wrong, 1u);
}

// A sample of rows. Inputs are below 1, so that no maximum need be subtracted in fp64.
__global__ void check_softmax_kernel(const float* x, const float* y, std::size_t rows,
                                     std::size_t cols, unsigned* wrong) {
  constexpr double kRoundings = 64;
  const std::size_t row = sample(blockIdx.x, gridDim.x, rows);
  double sum = 0;
  for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) {
    sum += exp(double{x[row * cols + i]});
  }
  sum = block_sum(sum);
  for (std::size_t i = threadIdx.x; i < cols; i += blockDim.x) {
    const double right = exp(double{x[row * cols + i]}) / sum;
    const bool is_right = fabs(y[row * cols + i] - right) <= kRoundings * kEps * right;
    if (!is_right) atomicAdd(wrong, 1u);
  }
}

__global__ void check_transpose_kernel(const float* in, const float* out, std::size_t rows,
                                       std::size_t cols, unsigned* wrong) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x, count = rows * cols;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const std::size_t row = i / cols, col = i % cols;
    if (out[col * rows + row] != in[i]) atomicAdd(wrong, 1u);
  }
}

}  // namespace

std::size_t wrong_elements(const problem::Problem& problem, const problem::Operands& operands,
                           cudaStream_t stream) {
  // By name: before clang 16, a lambda cannot capture a structured binding.
  const std::vector<const float*>& inputs = operands.inputs;
  float* const output = operands.output;
  const problem::Shape& shape = operands.shape;
  const std::size_t count = problem.output_count(shape);
  device::Buffer<unsigned> wrong(1);
  CUDA_CHECK(cudaMemsetAsync(wrong.data(), 0, sizeof(unsigned), stream));
  count_nan_kernel<<<kBlocks, kThreads, 0, stream>>>(output, count, wrong.data());
  const auto samples = [](std::size_t of) { return static_cast<unsigned>(std::min(of, kSamples)); };
  device::Buffer<Sums> sums(samples(count));
  const auto check_sums = [&](const float* b, std::size_t cols) {
    constexpr std::size_t kTermsPerBlock = 1 << 16, kMostBlocks = 4096;
    const std::size_t terms = shape.back();
    const dim3 grid(samples(count), static_cast<unsigned>(std::clamp<std::size_t>(
                                        terms / kTermsPerBlock, 1, kMostBlocks)));
    CUDA_CHECK(cudaMemsetAsync(sums.data(), 0, sums.size() * sizeof(Sums), stream));
    sums_kernel<<<grid, kThreads, 0, stream>>>(inputs[0], b, cols, terms, count, sums.data());
    check_sums_kernel<<<grid.x, 1, 0, stream>>>(output, count, sums.data(), wrong.data());
  };
  if (problem.name() == "sum") {
    check_sums(nullptr, 1);
  } else if (problem.name() == "gemv") {
    check_sums(inputs[1], 1);
  } else if (problem.name() == "sgemm") {
    check_sums(inputs[1], shape[1]);
  } else if (problem.name() == "softmax") {
    // Few of the rows that are long: each takes a block's time.
    check_softmax_kernel<<<samples(std::min(shape[0], (std::size_t{1} << 28) / shape[1] + 1)),
                           kThreads, 0, stream>>>(inputs[0], output, shape[0], shape[1],
                                                  wrong.data());
  } else if (problem.name() == "transpose") {
    check_transpose_kernel<<<kBlocks, kThreads, 0, stream>>>(inputs[0], output, shape[0], shape[1],
                                                             wrong.data());
  } else {
    throw std::runtime_error(std::string(problem.name()) + ": the map cannot check it");
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(stream));
  unsigned result = 0;
  wrong.download({&result, 1});
  return result;
}

}  // namespace bench
