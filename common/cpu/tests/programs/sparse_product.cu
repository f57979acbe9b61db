// A sparse matrix times a vector, a row per warp; memory owned by objects, errors as exceptions.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"

void require(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorName(error));
}

struct Free {
  void operator()(void* pointer) const { cudaFree(pointer); }
};
template <typename T>
using OnDevice = std::unique_ptr<T[], Free>;

template <typename T>
OnDevice<T> allocate(std::size_t n) {
  T* pointer;
  require(cudaMalloc(&pointer, n * sizeof(T)));
  return OnDevice<T>(pointer);
}
template <typename T>
OnDevice<T> upload(const std::vector<T>& values) {
  auto copy = allocate<T>(values.size());
  require(cudaMemcpy(copy.get(), values.data(), values.size() * sizeof(T), cudaMemcpyDefault));
  return copy;
}

__global__ void multiply(int rows, const int* __restrict__ begin, const int* __restrict__ column,
                         const double* __restrict__ value, const double* __restrict__ x,
                         double* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  const int lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  double sum = 0;
  for (int i = begin[row] + lane; i < begin[row + 1]; i += warpSize) sum += value[i] * x[column[i]];
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (lane == 0) y[row] = sum;
}

int main() {
  // Row r has r elements, all of value r, in its first columns: y[r] = r (0 + 1 + ... + r - 1).
  const int n = 70;
  std::vector<int> begin{0}, column;
  std::vector<double> value, x, y(n);
  for (int row = 0; row < n; ++row) {
    for (int i = 0; i < row; ++i) {
      column.push_back(i);
      value.push_back(row);
    }
    begin.push_back(static_cast<int>(column.size()));
    x.push_back(row);
  }
  const auto d_begin = upload(begin);
  const auto d_column = upload(column);
  const auto d_value = upload(value);
  const auto d_x = upload(x);
  const auto d_y = allocate<double>(n);
  multiply<<<(n * 32 + 127) / 128, 128>>>(n, d_begin.get(), d_column.get(), d_value.get(),
                                          d_x.get(), d_y.get());
  require(cudaGetLastError());
  require(cudaMemcpy(y.data(), d_y.get(), n * sizeof(double), cudaMemcpyDefault));
  for (int row = 0; row < n; ++row) EXPECT(y[row] == row * (row * (row - 1) / 2));

  std::string caught;
  try {
    allocate<double>(std::size_t{1} << 57);
  } catch (const std::runtime_error& error) {
    caught = error.what();
  }
  EXPECT(caught == "cudaErrorMemoryAllocation");
}
