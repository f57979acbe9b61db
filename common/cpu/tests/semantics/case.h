// Shared by the programs here. Each is a list of cases: a kernel, and the result it must write,
// derived beside it from CUDA's promises for sm_70 and later. A case prints one line.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned kFull = 0xffffffffu;
constexpr int kScratch = 4096;
constexpr int kUnwritten = -559038737;

// `out`: as many numbers as are expected. `scratch`: zeros.
using Kernel = void (*)(int* out, int* scratch);

inline int wrong_cases = 0;

inline void must(cudaError_t error, const char* name) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", name, cudaGetErrorString(error));
  std::exit(1);
}

// `expected(i)`: number i.
template <class Expected>
void run_case(const char* name, Kernel kernel, dim3 blocks, dim3 threads, int count,
              Expected expected) {
  int* out = nullptr;
  int* scratch = nullptr;
  must(cudaMalloc(&out, static_cast<std::size_t>(count) * sizeof(int)), name);
  must(cudaMalloc(&scratch, kScratch * sizeof(int)), name);
  std::vector<int> got(static_cast<std::size_t>(count), kUnwritten);
  must(cudaMemcpy(out, got.data(), got.size() * sizeof(int), cudaMemcpyHostToDevice), name);
  must(cudaMemset(scratch, 0, kScratch * sizeof(int)), name);
  kernel<<<blocks, threads>>>(out, scratch);
  must(cudaGetLastError(), name);
  must(cudaDeviceSynchronize(), name);
  must(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost), name);
  must(cudaFree(out), name);
  must(cudaFree(scratch), name);
  for (int i = 0; i < count; ++i) {
    const int right = static_cast<int>(expected(i));
    if (got[static_cast<std::size_t>(i)] == right) continue;
    std::printf("%s: wrong: number %d is %d, not %d\n", name, i, got[static_cast<std::size_t>(i)],
                right);
    ++wrong_cases;
    return;
  }
  std::printf("%s: right\n", name);
}

inline int result() { return wrong_cases == 0 ? 0 : 1; }
