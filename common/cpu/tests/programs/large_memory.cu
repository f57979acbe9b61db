// 8 GiB of device memory, most of which is never touched: it is there at once, and gone at once.
#include <chrono>
#include <cmath>
#include <cstdio>

#include "check.h"

constexpr size_t kBytes = size_t{8} << 30;
constexpr size_t kFloats = kBytes / sizeof(float);
constexpr size_t kStride = kFloats / 1024;

// Two floats in each of 1024 places; the second straddles no page of the first.
__global__ void write_here_and_there(float* data) {
  const size_t i = threadIdx.x * kStride;
  data[i] = threadIdx.x;
  data[i + kStride / 2] = data[i] + 1;
}

// Runs the call, which must take less than a second.
template <class Call>
void expect_quick(const char* what, Call call) {
  const auto begin = std::chrono::steady_clock::now();
  CUDA_CHECK(call());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (taken.count() < 1) return;
  std::fprintf(stderr, "%s took %.2f s\n", what, taken.count());
  std::exit(1);
}

float read(const float* address) {
  float value = 0;
  CUDA_CHECK(cudaMemcpy(&value, address, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

int main() {
  size_t free_bytes = 0, total_bytes = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  if (free_bytes < kBytes) return 0;  // not on this machine
  for (int repeat = 0; repeat < 2; ++repeat) {
    float* data = nullptr;
    expect_quick("cudaMalloc", [&] { return cudaMalloc(&data, kBytes); });
    // Nothing has been written, neither at the ends nor between.
    for (size_t i : {size_t{0}, kFloats / 3, kFloats - 1}) EXPECT(std::isnan(read(data + i)));
    write_here_and_there<<<1, 1024>>>(data);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < 1024; i += 341) {
      EXPECT(read(data + i * kStride) == i);
      EXPECT(read(data + i * kStride + kStride / 2) == i + 1);
      EXPECT(std::isnan(read(data + i * kStride + 1)));
    }
    // A fill and a copy across places that have been touched and places that have not.
    CUDA_CHECK(cudaMemset(data + 1, 0, 3 * kStride * sizeof(float)));
    EXPECT(read(data) == 0 && read(data + kStride) == 0 && read(data + 3 * kStride) == 0);
    EXPECT(std::isnan(read(data + 3 * kStride + 1)));
    CUDA_CHECK(cudaMemcpy(data + kFloats / 2, data + 3 * kStride, kStride * sizeof(float),
                          cudaMemcpyDeviceToDevice));
    EXPECT(read(data + kFloats / 2) == 0 && std::isnan(read(data + kFloats / 2 + 1)));
    EXPECT(read(data + kFloats / 2 + kStride / 2) == 4);
    expect_quick("cudaFree", [&] { return cudaFree(data); });
  }
  return 0;
}
