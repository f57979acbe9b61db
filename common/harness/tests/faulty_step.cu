// A step whose kernels are wrong, each in one way, some only from the second launch on. The test
// of the command line runs it and expects the harness to say so.
#include <cuda_runtime.h>

#include "harness/step.h"
#include "problem/add.h"

namespace {

constexpr int kThreads = 256;

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n, float error) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + (i == n / 2 ? error : 0.0f);
}

void add_with_error(const float* a, const float* b, float* c, std::size_t n, float error,
                    cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
  add_kernel<<<blocks, kThreads, 0, stream>>>(a, b, c, n, error);
}

void right(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  add_with_error(a, b, c, n, 0, stream);
}

void lazy(const float*, const float*, float*, std::size_t, cudaStream_t) {}

void wrong(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  add_with_error(a, b, c, n, 1, stream);
}

void right_once(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  static int launches = 0;
  add_with_error(a, b, c, n, launches++ == 0 ? 0 : 1, stream);
}

void writes_once(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  static int launches = 0;
  if (launches++ == 0) right(a, b, c, n, stream);
}

void inside_once(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  static int launches = 0;
  right(a, b, c, n, stream);
  if (launches++ > 0) add_kernel<<<1, 1, 0, stream>>>(a, b, c + n, 1, 0);
}

void no_launch(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  constexpr int kTooMany = 4096;
  add_kernel<<<1, kTooMany, 0, stream>>>(a, b, c, n, 0);
}

}  // namespace

int main(int argc, char** argv) {
  return harness::run_step<problem::Add>(argc, argv, "faulty_step",
                                         {
                                             {"right", right},
                                             {"lazy", lazy},
                                             {"wrong", wrong},
                                             {"right_once", right_once},
                                             {"writes_once", writes_once},
                                             {"inside_once", inside_once},
                                             {"no_launch", no_launch},
                                             {"right_again", right},
                                         });
}
