// The ways in which programs look at errors, on errors that are made on purpose.
#include <cuda_runtime_api.h>

#include <cstring>
#include <iostream>
#include <sstream>
#include <stdexcept>

class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const char* expression, const char* file, int line)
      : std::runtime_error(describe(code, expression, file, line)), code_(code) {}
  cudaError_t code() const noexcept { return code_; }

 private:
  static std::string describe(cudaError_t code, const char* expression, const char* file, int line) {
    std::ostringstream text;
    text << file << ":" << line << ": '" << expression << "' failed with " << cudaGetErrorName(code)
         << " (" << static_cast<int>(code) << "): " << cudaGetErrorString(code);
    return text.str();
  }
  cudaError_t code_;
};

#define CUDA_TRY(expression)                                                                 \
  do {                                                                                       \
    if (auto status_ = (expression); status_ != cudaSuccess) {                               \
      cudaGetLastError();                                                                    \
      throw CudaError(status_, #expression, __FILE__, __LINE__);                             \
    }                                                                                        \
  } while (false)

#define CUDA_CHECK_LAST()           \
  CUDA_TRY(cudaPeekAtLastError());  \
  CUDA_TRY(cudaDeviceSynchronize())

// The macro of many forum posts.
#define cudaCheckErrors(msg)                                               \
  do {                                                                     \
    cudaError_t __err = cudaGetLastError();                                \
    if (__err != cudaSuccess) {                                            \
      fprintf(stderr, "Fatal error: %s (%s at %s:%d)\n", msg,              \
              cudaGetErrorString(__err), __FILE__, __LINE__);              \
      fprintf(stderr, "*** FAILED - ABORTING\n");                          \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

__global__ void increment(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ++p[i];
}

template <typename F>
void expect_error(cudaError_t expected, const char* what, F&& f) {
  try {
    f();
  } catch (const CudaError& e) {
    if (e.code() == expected && std::strstr(e.what(), cudaGetErrorName(expected)) != nullptr) {
      std::cout << what << ": " << cudaGetErrorString(e.code()) << '\n';
      return;
    }
    std::cerr << what << ": unexpected: " << e.what() << '\n';
    std::exit(1);
  }
  std::cerr << what << ": no error\n";
  std::exit(1);
}

int main() {
  int devices = 0;
  CUDA_TRY(cudaGetDeviceCount(&devices));
  if (devices == 0) return 77;
  CUDA_TRY(cudaSetDevice(0));

  int* p = nullptr;
  const int n = 1000;
  expect_error(cudaErrorMemoryAllocation, "too much memory",
               [&] { CUDA_TRY(cudaMalloc(&p, size_t{1} << 60)); });
  CUDA_TRY(cudaMalloc(&p, n * sizeof(int)));
  CUDA_TRY(cudaMemset(p, 0, n * sizeof(int)));
  expect_error(cudaErrorInvalidConfiguration, "too many threads", [&] {
    increment<<<1, 1025>>>(p, n);
    CUDA_CHECK_LAST();
  });
  expect_error(cudaErrorInvalidConfiguration, "no blocks", [&] {
    increment<<<(0 + 255) / 256, 256>>>(p, 0);
    CUDA_CHECK_LAST();
  });
  expect_error(cudaErrorInvalidValue, "too much shared memory", [&] {
    increment<<<1, 32, 1 << 20>>>(p, n);
    CUDA_CHECK_LAST();
  });
  expect_error(cudaErrorInvalidValue, "no destination",
               [&] { CUDA_TRY(cudaMemcpy(nullptr, p, sizeof(int), cudaMemcpyDeviceToHost)); });
  expect_error(cudaErrorInvalidDevice, "no such device", [&] { CUDA_TRY(cudaSetDevice(devices)); });

  // None of them is there to stay.
  cudaCheckErrors("left over");
  dim3 block = 128, grid = dim3((n + block.x - 1) / block.x);
  for (int i = 0; i < 3; ++i) {
    increment<<<grid, block>>>(p, n);
    cudaCheckErrors("kernel");
  }
  int h[n];
  CUDA_TRY(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
  for (const int x : h)
    if (x != 3) return 1;

  // An error stays the last one until somebody asks.
  increment<<<1, dim3(32, 64)>>>(p, n);
  const bool peeked = cudaPeekAtLastError() == cudaErrorInvalidConfiguration;
  const bool got = cudaGetLastError() == cudaErrorInvalidConfiguration;
  const bool gone = cudaGetLastError() == cudaSuccess;
  CUDA_TRY(cudaFree(p));
  CUDA_TRY(cudaFree(0));
  std::cout << (peeked && got && gone ? "all as expected" : "wrong last error") << std::endl;
  return peeked && got && gone ? 0 : 1;
}
