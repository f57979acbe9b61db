// Kernels that run a block as plain loops over its threads (lower/whole_blocks.h): the values are
// those that fibers give, which run the same kernels in other orders (cpu_order).
#include <numeric>

#include "support.h"

namespace {

constexpr int kSide = 8;

// Variables of each kind outlive a barrier: constants, ones that change, pointers, of all threads
// and of each.
__global__ void keep_variables(const int* in, int* out, int n) {
  __shared__ int s[256];
  const int first = blockIdx.x * blockDim.x;
  const int i = first + threadIdx.x;
  const int* const mine = in + i;
  int sum = i < n ? *mine : 0, count;
  unsigned char low = 255;
  s[threadIdx.x] = sum;
  __syncthreads();
  count = 1;
  sum += s[(threadIdx.x + 1) % blockDim.x];
  ++low;
  __syncthreads();
  if (i >= n) return;
  out[i] = 100 * sum + 10 * count + low + mine[0] - *mine;
}

// Barriers in loops inside loops; variables that live for a round.
__global__ void nested_loops(int* out, int rounds) {
  __shared__ int s[64];
  int sum = 0;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int a = 0; a < rounds; ++a) {
    const int left = s[(threadIdx.x + 63) % 64];
    for (int shift = 1 << a; shift > 0; shift >>= 1) {
      const int other = s[threadIdx.x ^ shift];
      __syncthreads();
      s[threadIdx.x] += other;
      __syncthreads();
    }
    sum += left;
    __syncthreads();
  }
  out[threadIdx.x] = 1000 * sum + s[threadIdx.x] % 1000;
}

// The same on the host.
std::vector<int> nested_loops_reference(int rounds) {
  std::vector<int> s(64), sum(64, 0);
  std::iota(s.begin(), s.end(), 0);
  for (int a = 0; a < rounds; ++a) {
    for (int t = 0; t < 64; ++t) sum[t] += s[(t + 63) % 64];
    for (int shift = 1 << a; shift > 0; shift >>= 1) {
      const std::vector<int> before = s;
      for (int t = 0; t < 64; ++t) s[t] += before[t ^ shift];
    }
  }
  for (int t = 0; t < 64; ++t) sum[t] = 1000 * sum[t] + s[t] % 1000;
  return sum;
}

// Threads in three dimensions, in the order of their numbers: x fastest.
template <class T, int side>
__global__ void turn_cube(const T* in, T* out) {
  __shared__ T cube[side][side][side];
  const int from = threadIdx.x + side * (threadIdx.y + side * threadIdx.z);
  cube[threadIdx.z][threadIdx.y][threadIdx.x] = in[from];
  __syncthreads();
  out[from] = cube[threadIdx.x][threadIdx.z][threadIdx.y];
}

// Rows of threads move a tile, each several of its rows; the ragged right and lower edge is cut.
__global__ void transpose(const int* in, int* out, int rows, int columns) {
  constexpr int kTile = 16;
  __shared__ int tile[kTile][kTile + 1];
  const int top = blockIdx.y * kTile, left = blockIdx.x * kTile;
  for (int row = threadIdx.y; row < kTile && top + row < rows; row += blockDim.y) {
    const int column = left + threadIdx.x;
    if (column < columns) tile[row][threadIdx.x] = in[(top + row) * columns + column];
  }
  __syncthreads();
  for (int row = threadIdx.y; row < kTile && left + row < columns; row += blockDim.y) {
    const int column = top + threadIdx.x;
    if (column < rows) out[(left + row) * rows + column] = tile[threadIdx.x][row];
  }
}

__global__ void histogram(const int* in, int* out, int n) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    atomicAdd(bins + in[i] % 16, 1);
    i += blockDim.x * gridDim.x;
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

struct Scale {
  int factor;
  int offset;
};

// Each thread has an array over a barrier, and thus a stack; where the processor has AVX2, it runs
// the version for that.
template <int n>
__global__ void reverse_sums(const int* in, int* out, const Scale scale) {
  __shared__ int s[64];
  int sums[n] = {};
  for (int round = 0; round < 3; ++round) {
    s[threadIdx.x] = in[threadIdx.x] + round;
    __syncthreads();
    for (int i = 0; i < n; ++i) sums[i] += s[(63 - threadIdx.x + i) % 64];
    __syncthreads();
  }
  for (int i = 0; i < n; ++i) out[threadIdx.x * n + i] = sums[i] * scale.factor + scale.offset;
}

// All threads begin with the same objects, and each changes its own in part.
__global__ void change_parts(int* out, Scale scale) {
  int2 sum = {0, 0};
  for (int i = 0; i < 3; ++i) {
    sum.x += threadIdx.x;
    sum.y -= i;
  }
  scale.factor += threadIdx.x;
  (threadIdx.x % 2 == 0 ? scale.offset : sum.y) = 100;
  out[threadIdx.x] = sum.x + 1000 * sum.y + scale.factor + scale.offset;
}

// The test comes before the division that it guards.
__global__ void divide(int* out, int total, int parts) {
  if (parts == 0) return;
  const int part = total / parts;
  out[threadIdx.x] = part;
}

std::vector<int> numbers(int n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

}  // namespace

TEST_CASE("whole blocks: variables outlive barriers") {
  constexpr int kThreads = 96, kBlocks = 3, kCount = 250;
  const std::vector<int> in = numbers(kCount);
  test::DeviceArray<int> a(in), out(kCount, -1);
  keep_variables<<<kBlocks, kThreads>>>(a.get(), out.get(), kCount);
  const std::vector<int> got = out.read();
  for (int i = 0; i < kCount; ++i) {
    const int next = i / kThreads * kThreads + (i % kThreads + 1) % kThreads;
    const int sum = in[i] + (next < kCount ? in[next] : 0);
    CHECK(got[i] == 100 * sum + 10);
  }
}

TEST_CASE("whole blocks: barriers in nested loops") {
  for (const int rounds : {0, 1, 2, 5}) {
    test::DeviceArray<int> out(64, -1);
    nested_loops<<<1, 64>>>(out.get(), rounds);
    CHECK(out.read() == nested_loops_reference(rounds));
  }
}

TEST_CASE("whole blocks: three dimensions, and types of a template") {
  constexpr int kCount = kSide * kSide * kSide;
  const std::vector<int> in = numbers(kCount);
  test::DeviceArray<int> a(in), out(kCount, 0);
  turn_cube<int, kSide><<<1, dim3(kSide, kSide, kSide)>>>(a.get(), out.get());
  const std::vector<int> got = out.read();
  for (int x = 0; x < kSide; ++x)
    for (int y = 0; y < kSide; ++y)
      for (int z = 0; z < kSide; ++z)
        CHECK(got[x + kSide * (y + kSide * z)] == in[y + kSide * (z + kSide * x)]);
}

TEST_CASE("whole blocks: loops around rows of threads") {
  constexpr int kRows = 37, kColumns = 50;
  const std::vector<int> in = numbers(kRows * kColumns);
  test::DeviceArray<int> a(in);
  for (const int threads : {1, 4, 5, 16}) {
    test::DeviceArray<int> out(kRows * kColumns, 0);
    transpose<<<dim3(4, 3), dim3(16, threads)>>>(a.get(), out.get(), kRows, kColumns);
    const std::vector<int> got = out.read();
    bool is_right = true;
    for (int row = 0; row < kRows; ++row)
      for (int column = 0; column < kColumns; ++column)
        is_right &= got[column * kRows + row] == in[row * kColumns + column];
    CHECK(is_right);
  }
}

TEST_CASE("whole blocks: many blocks add up") {
  constexpr int kCount = 10'007;
  test::DeviceArray<int> in(numbers(kCount)), out(16, 0);
  histogram<<<40, 64>>>(in.get(), out.get(), kCount);
  const std::vector<int> got = out.read();
  for (int bin = 0; bin < 16; ++bin) CHECK(got[bin] == kCount / 16 + (1 <= bin && bin <= 7));
}

TEST_CASE("whole blocks: objects that threads change in part") {
  test::DeviceArray<int> out(64, -1);
  change_parts<<<1, 64>>>(out.get(), Scale{10, 7});
  const std::vector<int> got = out.read();
  for (int t = 0; t < 64; ++t) {
    const bool is_even = t % 2 == 0;
    CHECK(got[t] == 3 * t + 1000 * (is_even ? -3 : 100) + 10 + t + (is_even ? 100 : 7));
  }
}

TEST_CASE("whole blocks: a division that a test guards") {
  test::DeviceArray<int> out(64, -1);
  divide<<<1, 64>>>(out.get(), 12, 0);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.read() == std::vector<int>(64, -1));
  divide<<<1, 64>>>(out.get(), 12, 4);
  CHECK(out.read() == std::vector<int>(64, 3));
}

TEST_CASE("versions: values, objects as arguments, and the kernel's address in data") {
  using Kernel = void (*)(const int*, int*, Scale);
  static const Kernel kernels[] = {reverse_sums<8>};
  const Kernel volatile kernel = reverse_sums<8>;
  CHECK((kernels[0] == kernel));
  const std::vector<int> in = numbers(64);
  test::DeviceArray<int> a(in), out(64 * 8, 0);
  const int* const from = a.get();
  int* const to = out.get();
  Scale scale{10, 3};
  void* arguments[] = {const_cast<const int**>(&from), const_cast<int**>(&to), &scale};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernels[0]), 1, 64, arguments) ==
        cudaSuccess);
  const std::vector<int> got = out.read();
  for (int thread = 0; thread < 64; ++thread)
    for (int i = 0; i < 8; ++i)
      CHECK(got[thread * 8 + i] == 10 * (3 * in[(63 - thread + i) % 64] + 3) + 3);
}
