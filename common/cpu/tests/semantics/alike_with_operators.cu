// As alike.cu, in a program whose objects have operators, constructors for the device, and members
// that constants may change.
#include "case.h"

namespace {

// An element of the thread's own column.
struct Column {
  const int* first;
  __device__ int operator[](int row) const { return first[row * blockDim.x + threadIdx.x]; }
};
__global__ void columns(int* out, int* scratch) {
  for (unsigned i = threadIdx.x; i < 2 * blockDim.x; i += blockDim.x)
    scratch[i] = static_cast<int>(i);
  __syncthreads();
  const Column column = {scratch};
  out[threadIdx.x] = column[0] + column[1];
}

struct Load {
  const int* from;
  __device__ operator int() const { return *from; }
};
__global__ void load_by_conversion(int* out, int* scratch) {
  Load load = {scratch + threadIdx.x};
  scratch[threadIdx.x] = 7;
  const int loaded = load;
  out[threadIdx.x] = loaded;
}

struct Counter {
  mutable int hits = 0;
};
__global__ void count_in_constant(int* out, int*) {
  const Counter counter;
  for (unsigned i = 0; i < threadIdx.x; ++i) counter.hits++;
  out[threadIdx.x] = counter.hits;
}

struct Hash {
  unsigned bits;
  __device__ Hash& operator<<(unsigned word) {
    bits = 31 * bits + word;
    return *this;
  }
};
__global__ void hash_words(int* out, int*) {
  Hash hash = {1};
  if (threadIdx.x % 2 == 1) hash << threadIdx.x << 1;
  out[threadIdx.x] = static_cast<int>(hash.bits);
}
int hash_words_expected(int t) { return t % 2 == 1 ? 31 * (31 + t) + 1 : 1; }

struct Rank {
  int value;
  Rank() = default;
  __device__ Rank(int offset) : value(offset + static_cast<int>(threadIdx.x)) {}
};
struct Ranks {
  Rank first;
};
__global__ void construct_member(int* out, int*) {
  Ranks ranks;
  ranks.first = 100;
  out[threadIdx.x] = ranks.first.value;
}
template <class T>
__global__ void construct(int* out, int*) {
  const T rank = 50;
  out[threadIdx.x] = rank.value;
}

}  // namespace

int main() {
  run_case("columns", columns, 1, 64, 64, [](int t) { return 2 * t + 64; });
  run_case("load_by_conversion", load_by_conversion, 1, 64, 64, [](int) { return 7; });
  run_case("count_in_constant", count_in_constant, 1, 64, 64, [](int t) { return t; });
  run_case("hash_words", hash_words, 1, 64, 64, hash_words_expected);
  run_case("construct_member", construct_member, 1, 64, 64, [](int t) { return 100 + t; });
  run_case("construct", construct<Rank>, 1, 64, 64, [](int t) { return 50 + t; });
  return result();
}
