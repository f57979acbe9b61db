// Every way to write a kernel and its launch that C++ has room for.
#include <utility>
#include <vector>

#include "check.h"

__global__ void add(int* p, int n) {
  if (p != nullptr && threadIdx.x == 0) *p += n;
}
extern "C" __global__ void set_seven(int* p) { *p = 7; }
extern "C" {
__global__ void set_eight(int* p) { *p = 8; }
}
namespace {
__global__ void set(int* p) { *p = 9; }
}  // namespace
namespace outer::inner {
struct Value {
  int value;
};
__global__ void set(int* p) { *p = 10; }
__global__ void set_value(Value* p);
}  // namespace outer::inner
__global__ void outer::inner::set_value(Value* p) { p->value = 11; }

__global__ void overloaded(int* p) { *p = 1; }
__global__ void overloaded(float* p) { *p = 2.0f; }
void __launch_bounds__(256) __global__ bounded(int* p, int n = 4) { *p = n; }
static __global__ void __launch_bounds__(256, 2) local(int* p) { *p = 12; }

template <class T = float>
__global__ void assign(T* p, T value = T(5)) {
  *p = value;
}
template <>
__global__ void assign<char>(char* p, char value) {
  *p = value + 1;
}
template <class T, int N = 3, class... Rest>
__global__ void sum_up(T* p, Rest... rest) {
  *p = N + (rest + ... + 0);
}
template <int N, typename = void>
__global__ void constant(int* p) {
  *p = N;
}

// Declared first, with defaults; one with unnamed parameters, and one for each kind of type.
namespace outer {
template <typename T, int N = 2, typename = void>
__global__ void declared(T*, int = 20, float (*)(float) = nullptr);
template <typename T>
__global__ std::enable_if_t<std::is_integral<T>::value> by_kind(T* p, int* = nullptr) {
  *p = 30;
}
template <typename T>
__global__ std::enable_if_t<std::is_floating_point<T>::value> by_kind(T* p, int (&)[4]) {
  *p = 31;
}
template <class T>
requires(sizeof(T) == 4) __global__ void constrained(T* p, const std::pair<T, T> both = {1, 2}) {
  *p = both.first + both.second;
}
}  // namespace outer
template <typename T, int N, typename>
__global__ void outer::declared(T* p, int n, float (*)(float)) {
  *p = N + n;
}
using outer::by_kind;

// An argument that converts to a parameter's type, and may be neither copied nor destructured.
class Owner {
 public:
  Owner() { CUDA_CHECK(cudaMallocManaged(&p_, sizeof(int))); }
  ~Owner() { CUDA_CHECK(cudaFree(p_)); }
  Owner(const Owner&) = delete;
  operator int*() const { return p_; }

 private:
  int* p_;
};
template <class T>
__global__ void copy_value(int* p, T value, const int* also) {
  *p = value + (also != nullptr ? *also : 0);
}
struct Sum {
  int value;
};
__global__ void into_reference(Sum& sum, int n) { sum.value += n; }
template <class S>
__global__ void into_reference_of(S& sum, int n) {
  sum.value += n;
}

template <class T>
struct Box {
  static const int value = 3;
  template <int N>
  static void run(T* p) {
    sum_up<T, N><<<1, 1>>>(p);
  }
};
struct Holder {
  void (*kernel)(int*, int);
  void run(int* p) {
    kernel<<<1, 1>>>(p, 1);
    this->kernel<<<1, 1>>>(p, 2);
    [&] { kernel<<<1, 1>>>(p, 3); }();
  }
};
template <void (*kernel)(int*, int)>
void run_argument(int* p) {
  kernel<<<1, 1>>>(p, 100);
}
template <class T>
__global__ void kernel(T* p) {
  *p = 1000;
}
template <class Kernel, class... Args>
void run(Kernel kernel, Args... args) {
  kernel<<<1, 1>>>(args...);
}
void (*get_add())(int*, int) { return add; }
void run_by_statements(int* p, bool flag) {
  if (flag) (add)<<<1, 1>>>(p, 1);
  if (!flag)
    ::add<<<1, 1>>>(p, 2);
  else
    add<<<1, 1>>>(p, 3);
  do add<<<1, 1>>>(p, 4);
  while (!flag);
  flag ? add<<<1, 1>>>(p, 5) : add<<<1, 1>>>(p, 6);
  return get_add()<<<1, 1>>>(p, 10);
}
#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define EXPECT_VALUE(expected)           \
  do {                                   \
    CUDA_CHECK(cudaDeviceSynchronize()); \
    EXPECT(*p == (expected));            \
    *p = 0;                              \
  } while (0)

int main() {
  int* p;
  CUDA_CHECK(cudaMallocManaged(&p, 64));
  *p = 0;
  int n = 1;
  cudaStream_t stream = 0;

  // Configurations.
  add<<<1, Box<Box<Box<int>>>::value>>>(p, 0);
  add<<<1, sizeof(Box<Box<Box<int>>>)>>>(nullptr, 1);
  // clang-format off
  add<<<n < 2, 1>>>(p, 1);
  add<<<1, n < 2>>>(p, 1);
  add <<< dim3(1), dim3(1, 1), 0, stream >>> (p, 1);
  // clang-format on
  add<<<1, (4 > 3), 0>>>(p, 1);
  add<<<ceil(1 / 2.0), {1, 1, 1}, 0, 0>>>(p, 'a' - '`');
  EXPECT_VALUE(5);

  // Arguments.
  add<<<1, 1>>>(NULL, 0);
  add<<<1, 1>>>(0, 0);
  add<<<1, 1>>>({}, {});
  add<<<1, 1>>>(p, 3.9);
  EXPECT_VALUE(3);
  bounded<<<1, 1>>>(p);
  EXPECT_VALUE(4);

  // Names.
  set_seven<<<1, 1>>>(p);
  EXPECT_VALUE(7);
  ::set_eight<<<1, 1>>>(p);
  EXPECT_VALUE(8);
  set<<<1, 1>>>(p);
  EXPECT_VALUE(9);
  outer::inner::set<<<1, 1>>>(p);
  EXPECT_VALUE(10);
  ::outer::inner::set_value<<<1, 1>>>((outer::inner::Value*)p);
  EXPECT_VALUE(11);
  local<<<1, 1>>>(p);
  EXPECT_VALUE(12);
  overloaded<<<1, 1>>>(p);
  EXPECT_VALUE(1);
  overloaded<<<1, 1>>>((float*)p);
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(*(float*)p == 2.0f);

  // Templates.
  assign<<<1, 1>>>(p, 3);
  EXPECT_VALUE(3);
  assign<int><<<1, 1>>>(p);
  EXPECT_VALUE(5);
  assign<char><<<1, 1>>>((char*)p, 'a');
  EXPECT_VALUE('b');
  sum_up<int, 4><<<1, 1>>>(p, 1, 2, 3);
  EXPECT_VALUE(10);
  constant<3><<<1, 1>>>(p);
  EXPECT_VALUE(3);
  Box<int>::run<6>(p);
  EXPECT_VALUE(6);
  LAUNCH((sum_up<int, 3>), dim3(1), (1), p, 1);
  EXPECT_VALUE(4);

  outer::declared<<<1, 1>>>(p);
  EXPECT_VALUE(22);
  outer::declared<int, 5><<<1, 1>>>(p, 'a' - '`');
  EXPECT_VALUE(6);
  by_kind<<<1, 1>>>(p);
  EXPECT_VALUE(30);
  by_kind<<<1, 1>>>(p, 0);
  EXPECT_VALUE(30);
  outer::by_kind<<<1, 1>>>((float*)p, *reinterpret_cast<int(*)[4]>(p));
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT(*(float*)p == 31.0f);
  {
    using outer::constrained;
    constrained<<<1, 1>>>(p, {3, 4});
    EXPECT_VALUE(7);
    constrained<<<1, 1>>>(p);
    EXPECT_VALUE(3);
  }

  // Arguments become parameters before they are copied.
  copy_value<<<1, 1>>>(p, 5, NULL);
  EXPECT_VALUE(5);
  {
    Owner owner;
    *owner = 8;
    CUDA_CHECK(cudaDeviceSynchronize());
    copy_value<<<1, 1>>>(p, 5u, owner);
    EXPECT_VALUE(13);
    add<<<1, 1>>>(owner, 1);
    copy_value<long><<<1, 1>>>(p, 'a' - '`', owner);
    EXPECT_VALUE(10);
  }
  Sum* sum = (Sum*)p;
  into_reference<<<1, 1>>>(*sum, 4);
  EXPECT_VALUE(4);
  into_reference_of<<<1, 1>>>(*sum, 0);
  into_reference_of<Sum><<<1, 1>>>(*sum, 5);
  EXPECT_VALUE(5);

  // Pointers.
  run_argument<add>(p);
  run(add, p, 100);
  run(&add, p, 100);
  EXPECT_VALUE(300);
  run_by_statements(p, true);
  EXPECT_VALUE(1 + 3 + 4 + 5 + 10);
  Holder{add}.run(p);
  EXPECT_VALUE(6);
  void (*table[2][2])(int*, int) = {{add, add}, {add, add}};
  table[0][n++]<<<1, 1>>>(p, 1);
  EXPECT(n == 2);
  (n == 2 ? add : table[0][0])<<<1, 1>>>(p, 1);
  std::vector<void (*)(int*, int)> list{add};
  list[0]<<<1, 1>>>(p, 1);
  list.at(0)<<<1, 1>>>(p, 1);
  (*list.begin())<<<1, 1>>>(p, 1);
  std::make_pair(&add, 1).first<<<1, 1>>>(p, 1);
  EXPECT_VALUE(6);

  // Addresses.
  void* arguments[] = {&p, &n};
  CUDA_CHECK(cudaLaunchKernel((void*)outer::inner::set, 1, 1, arguments));
  EXPECT_VALUE(10);
  CUDA_CHECK(cudaLaunchKernel((const void*)assign<int>, 1, 1, arguments, 0, stream));
  EXPECT_VALUE(2);
  CUDA_CHECK(cudaLaunchKernel((void*)(void (*)(int*))overloaded, 1, 1, arguments));
  EXPECT_VALUE(1);
  CUDA_CHECK(cudaLaunchKernel((void*)assign<char>, 1, 1, arguments));
  EXPECT_VALUE(3);
  CUDA_CHECK(cudaFree(p));
}
