// Kernel templates that take functors and lambdas by value (nvcc: --extended-lambda), in
// namespaces, with deduced arguments and packs.
#include <utility>

#include "check.h"

namespace detail {

struct Scale {
  float factor;
  __host__ __device__ float operator()(float x) const { return factor * x; }
};

template <typename F, typename G>
struct Compose {
  F f;
  G g;
  template <typename T>
  __device__ __forceinline__ auto operator()(T x) const -> decltype(f(g(x))) {
    return f(g(x));
  }
};

template <typename T, typename F>
__global__ void transform(T* data, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    data[i] = f(data[i]);
}

template <typename F, typename... Args>
__global__ void for_each_index(int n, F f, Args... args) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i, args...);
}

}  // namespace detail

template <int Threads = 64, typename F, typename... Args>
void parallel_for(int n, F f, Args... args) {
  detail::for_each_index<<<(n + Threads - 1) / Threads, Threads>>>(n, f, args...);
  CUDA_CHECK(cudaGetLastError());
}

__host__ __device__ constexpr int cube(int x) { return x * x * x; }
static_assert(cube(3) == 27, "on the host, at compile time");

int main() {
  const int n = 1'000;
  float* data;
  CUDA_CHECK(cudaMallocManaged(&data, n * sizeof(float)));
  for (int i = 0; i < n; ++i) data[i] = i;

  detail::transform<<<4, 128>>>(data, n, detail::Scale{2.0f});
  const float shift = 3.0f;
  auto add = [=] __device__(float x) { return x + shift; };
  detail::transform<float><<<4, 128>>>(data, n, add);
  auto composed = detail::Compose<detail::Scale, decltype(add)>{{0.5f}, add};
  detail::transform<<<dim3(4), dim3(128), 0>>>(data, n, composed);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(data[i] == 0.5f * (2.0f * i + 3.0f + 3.0f));

  parallel_for(n, [=] __host__ __device__(int i) { data[i] = cube(i % 10); });
  parallel_for<32>(
      n, [data] __device__(int i, float a, int b) { data[i] += a * b; }, 0.5f, 4);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(data[i] == cube(i % 10) + 2.0f);
  CUDA_CHECK(cudaFree(data));
}
