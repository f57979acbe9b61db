// A small Thrust of one's own: templates over functors, iterators with device operators, lambdas
// with captures, variadic kernels, template template parameters.
#include <cstdio>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
template <class It, class F>
__global__ void for_each_kernel(It first, int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    f(first[i]);
}
template <class It, class F>
void for_each(It first, It last, F f) {
  int n = last - first;
  for_each_kernel<<<(n + 127) / 128, 128>>>(first, n, f);
}
struct counting {
  int v;
  __host__ __device__ int operator[](int i) const { return v + i; }
  friend int operator-(counting a, counting b) { return a.v - b.v; }
};
template <class A, class B>
struct zip {
  A a;
  B b;
  __device__ auto operator[](int i) const {
    return std::pair<decltype(a[0]), decltype(b[0])>(a[i], b[i]);
  }
};
template <class T>
struct plus {
  __host__ __device__ T operator()(const T& a, const T& b) const { return a + b; }
};
template <template <class> class Op, class T>
__global__ void reduce1(const T* x, int n, T init, T* out) {
  Op<T> op;
  T v = init;
  for (int i = 0; i < n; ++i) v = op(v, x[i]);
  *out = v;
}
template <class... Ts>
__global__ void sum_args(int* out, Ts... ts) {
  *out = (0 + ... + static_cast<int>(ts));
}
template <int N>
struct unrolled {
  template <class F>
  __device__ static void run(F&& f) {
    unrolled<N - 1>::run(f);
    f(std::integral_constant<int, N - 1>{});
  }
};
template <>
struct unrolled<0> {
  template <class F>
  __device__ static void run(F&&) {}
};
__global__ void un(int* o) {
  int s = 0;
  unrolled<5>::run([&](auto i) { s += decltype(i)::value * 10; });
  *o = s;
}
// Before constexpr; C++20 warns of a sum of two enumerations.
template <int N>
struct Fibonacci {
  enum { value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value };
};
template <>
struct Fibonacci<1> {
  enum { value = 1 };
};
template <>
struct Fibonacci<0> {
  enum { value = 0 };
};
template <int N>
__global__ void fibonacci(int* o) {
  *o = Fibonacci<N>::value;
}
namespace ns {
template <typename T, typename = std::enable_if_t<std::is_floating_point<T>::value>>
__global__ void only_float(T* p) {
  *p = T(1) / 3;
}
}  // namespace ns
template <class F>
struct Guard {
  F f;
  ~Guard() { f(); }
};
template <class F>
Guard(F) -> Guard<F>;
int main() {
  int* d;
  cudaMallocManaged(&d, 1000 * 4);
  Guard g{[&] { cudaFree(d); }};
  int k = 3;
  for_each(counting{0}, counting{1000}, [=] __device__(int i) { d[i] = i * k; });
  cudaDeviceSynchronize();
  int bad = 0;
  for (int i = 0; i < 1000; ++i) bad += d[i] != 3 * i;
  zip<counting, int*> z{{5}, d};
  for_each_kernel<<<1, 32>>>(
      z, 10, [=] __host__ __device__(std::pair<int, int&> p) { p.second = p.first * 100; });
  cudaDeviceSynchronize();
  for (int i = 0; i < 10; ++i) bad += d[i] != (5 + i) * 100;
  int* o;
  cudaMallocManaged(&o, 4);
  reduce1<plus><<<1, 1>>>(d, 10, 1, o);
  cudaDeviceSynchronize();
  bad += *o != 9501;
  sum_args<<<1, 1>>>(o, 1, 2.5, 'a', 4u, short(3));
  cudaDeviceSynchronize();
  bad += *o != 1 + 2 + 97 + 4 + 3;
  un<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  bad += *o != 100;
  fibonacci<20><<<1, 1>>>(o);
  cudaDeviceSynchronize();
  bad += *o != 6765;
  float* f;
  cudaMallocManaged(&f, 4);
  ns::only_float<<<1, 1>>>(f);
  cudaDeviceSynchronize();
  bad += *f != 1.0f / 3;
  auto launch = [&](auto kernel, auto... args) { kernel<<<1, 1>>>(args...); };
  launch(un, o);
  *o = 0;
  cudaDeviceSynchronize();
  void (*fp)(int*) = un;
  fp<<<dim3(1), dim3(1), 0, cudaStreamPerThread>>>(o);
  cudaStreamSynchronize(cudaStreamPerThread);
  bad += *o != 100;
  cudaFree(o);
  cudaFree(f);
  printf("%d\n", bad);
  return bad;
}
