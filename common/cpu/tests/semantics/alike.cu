// Kernels that look as if all threads had something alike, which then is each thread's own; and
// threads that leave before a loop that the others run through.
#include <utility>

#include "case.h"

namespace {

// Threads of the right half leave; the rows are for those that stay.
__global__ void leave_before_rows(int* out, int*) {
  out[4 * threadIdx.y + threadIdx.x] = 0;
  if (threadIdx.x >= 2) return;
  for (unsigned row = threadIdx.y; row < 4; row += blockDim.y) out[4 * row + threadIdx.x] = 1;
}

// Everybody leaves before the division.
__global__ void leave_before_division(int* out, int*) {
  const unsigned parts = gridDim.x - 1;
  out[4 * threadIdx.y + threadIdx.x] = 5;
  if (parts == 0) return;
  for (unsigned row = threadIdx.y; row < 4 / parts; ++row) out[row] = 9;
}

union Bytes {
  unsigned word;
  unsigned char byte[4];
};
__global__ void change_bytes(int* out, int*) {
  Bytes bytes = {0x01020304};
  ((unsigned char*)bytes.byte)[0] += threadIdx.x;
  out[threadIdx.x] = static_cast<int>(bytes.word);
}

// Number t of two sorted lists, the even numbers and the odd ones.
__global__ void merge_lists(int* out, int* scratch) {
  for (unsigned i = threadIdx.x; i < 64; i += blockDim.x)
    scratch[i] = static_cast<int>(i < 32 ? 2 * i : 2 * (i - 32) + 1);
  __syncthreads();
  const int *even = scratch, *odd = scratch + 32;
  int value = 0;
  for (unsigned i = 0; i <= threadIdx.x; ++i) value = *(*even < *odd ? even : odd)++;
  out[threadIdx.x] = value;
}

__global__ void second_name_is_reference(int* out, int*) {
  int sum = 0;
  for (int i = 0, &s = sum; i < 3; ++i) s += static_cast<int>(threadIdx.x);
  out[threadIdx.x] = sum;
}

// It is called as a function of the language's library, and changes its argument.
__device__ void fma(int2& sum, int factor, int2 b) {
  sum.x += factor * b.x;
  sum.y += factor * b.y;
}
__global__ void own_function(int* out, int*) {
  int2 sum = {0, 1};
  const int2 more = {2, 3};
  fma(sum, static_cast<int>(threadIdx.x), more);
  out[threadIdx.x] = sum.x + 1000 * sum.y;
}
int own_function_expected(int t) { return 2 * t + 1000 * (1 + 3 * t); }

namespace warp {
__device__ int max(int value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const int other = __shfl_xor_sync(kFull, value, offset);
    value = value > other ? value : other;
  }
  return value;
}
}  // namespace warp
__global__ void waits_in_function(int* out, int*) {
  out[threadIdx.x] = warp::max(static_cast<int>(7 * threadIdx.x % 32));
}

struct Identity {
  int x = static_cast<int>(threadIdx.x);
};
__global__ void initializer_of_member(int* out, int*) {
  Identity me;
  out[threadIdx.x] = me.x;
}

// `<` and `>` enclose no arguments of a template; math.h has a function y1.
__global__ void two_comparisons(int* out, int*) {
  const int column = static_cast<int>(threadIdx.x) % 4, row = static_cast<int>(threadIdx.x) / 4;
  const bool x1 = column<2, y1 = row> 1;
  __syncthreads();
  out[threadIdx.x] = x1 && y1;
}

struct Particle {
  int place[3];
};
__global__ void pointer_into_object(int* out, int* scratch) {
  scratch[threadIdx.x] = static_cast<int>(5 * threadIdx.x);
  const Particle me = {{scratch[threadIdx.x], 1, 2}};
  const int* const place = me.place;
  __syncthreads();
  out[threadIdx.x] = place[0] + place[2];
}

__device__ int total;
// A function of another name has a constant of that one.
int ten_times(int x) {
  constexpr int total = 10;
  return total * x;
}
__global__ void load_after_store(int* out, int*) {
  total += 5;
  const int loaded = total;
  out[0] = loaded;
}

__global__ void global_index(int* out, int*) {
  const int i = static_cast<int>(::threadIdx.x);
  out[i] = i;
}

// The next float is one more as an integer.
__global__ void change_by_cast(int* out, int*) {
  float2 v = {1, 2};
  if (threadIdx.x % 2 == 1) ++reinterpret_cast<int&>(v.y);
  reinterpret_cast<float*>(out)[threadIdx.x] = v.y;
}
int change_by_cast_expected(int t) { return 0x40000000 + t % 2; }

__global__ void alternative_tokens(int* out, int*) {
  int mask = 3;
  if (threadIdx.x % 2 == 1) mask xor_eq 5;
  out[threadIdx.x] = mask;
}

struct Pair {
  int a, b;
};
__global__ void pointer_to_member(int* out, int*) {
  int Pair::*const member = &Pair::b;
  Pair pair = {1, 2};
  pair.*member += threadIdx.x;
  out[threadIdx.x] = pair.b;
}

}  // namespace

int main() {
  run_case("leave_before_rows", leave_before_rows, 1, dim3(4, 2), 16, [](int i) {
    return i % 4 < 2 ? 1 : i < 8 ? 0 : kUnwritten;
  });
  run_case("leave_before_division", leave_before_division, 1, dim3(4, 2), 8, [](int) { return 5; });
  run_case("change_bytes", change_bytes, 1, 64, 64, [](int t) { return 0x01020304 + t; });
  run_case("merge_lists", merge_lists, 1, 63, 63, [](int t) { return t; });
  run_case("second_name_is_reference", second_name_is_reference, 1, 64, 64,
           [](int t) { return 3 * t; });
  run_case("own_function", own_function, 1, 64, 64, own_function_expected);
  run_case("waits_in_function", waits_in_function, 1, 32, 32, [](int) { return 31; });
  run_case("initializer_of_member", initializer_of_member, 1, 64, 64, [](int t) { return t; });
  run_case("two_comparisons", two_comparisons, 1, 64, 64,
           [](int t) { return t % 4 < 2 && t / 4 > 1; });
  run_case("pointer_into_object", pointer_into_object, 1, 64, 64, [](int t) { return 5 * t + 2; });
  run_case("load_after_store", load_after_store, 1, 1, 1, [](int) { return ten_times(1) / 2; });
  run_case("global_index", global_index, 1, 64, 64, [](int t) { return t; });
  run_case("change_by_cast", change_by_cast, 1, 64, 64, change_by_cast_expected);
  run_case("alternative_tokens", alternative_tokens, 1, 16, 16,
           [](int t) { return t % 2 == 1 ? 6 : 3; });
  run_case("pointer_to_member", pointer_to_member, 1, 64, 64, [](int t) { return t + 2; });
  return result();
}
