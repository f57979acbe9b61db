// Does the check that every step's test relies on reject wrong kernels? Each kernel here has one
// planted fault; next to them are right ones, which must pass.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/backend.h"
#include "harness/faults.h"
#include "harness/launcher.h"
#include "harness/step_test.h"
#include "problem/add.h"
#include "problem/sgemm.h"
#include "problem/softmax.h"
#include "problem/sum.h"
#include "problem/transpose.h"

namespace {

using harness::Extent;
using harness::Findings;
using harness::Promise;
using harness::Variant;

constexpr int kThreads = 64;
constexpr int kTile = kThreads;

// The usual extent has to find every fault that is planted here.
template <class Problem>
Findings find_faults(std::vector<int> tiles, typename Problem::Launch launch,
                     Promise promise = Promise::none, Extent extent = Extent::usual) {
  return harness::find_faults(Problem::problem(), tiles,
                              harness::erase_types<Problem>({{"planted", launch, promise}}),
                              extent);
}

std::string first_fault(const Findings& findings) {
  return findings.faults.empty() ? "" : findings.faults.front();
}

// There is one variant, and so one fault; `part` of it says that it is the planted one.
void check_fault(const Findings& findings, const std::string& part) {
  CHECK(findings.faults.size() == 1);
  const std::string fault = first_fault(findings);
  CAPTURE(fault);
  CAPTURE(part);
  CHECK(fault.find(part) != std::string::npos);
}

unsigned blocks_for(std::size_t items) {
  return static_cast<unsigned>((items + kThreads - 1) / kThreads);
}

// --- add -------------------------------------------------------------------------------------

enum class AddFault {
  none,
  writes_nothing,
  writes_nan,
  one_element_wrong,
  one_element_left_out,
  past_the_end,
  before_the_start,
  no_tail,
  changes_an_input,
  bits_lost,
  ignores_alignment,
  wrong_zero,
};

template <AddFault kFault>
__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (kFault == AddFault::past_the_end && i == n) c[i] = 0;
  if (i >= n || kFault == AddFault::writes_nothing) return;
  if (kFault == AddFault::no_tail && i >= n / 4 * 4) return;
  if (kFault == AddFault::one_element_left_out && n > 1000 && i == 500) return;
  float sum = a[i] + b[i];
  if (kFault == AddFault::writes_nan) sum = NAN;
  if (kFault == AddFault::one_element_wrong && n > 1000 && i == n - 1) sum += 1e-6f;
  if (kFault == AddFault::bits_lost) sum = __uint_as_float(__float_as_uint(sum) & 0xFFFFE000u);
  if (kFault == AddFault::wrong_zero && sum == 0) sum = -0.0f;
  if (kFault == AddFault::before_the_start && i == 0) c[-1] = sum;
  if (kFault == AddFault::changes_an_input) const_cast<float*>(a)[i] = sum;
  // As a 128-bit access would if its address were rounded down.
  if (kFault == AddFault::ignores_alignment) {
    c = reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(c) / 16 * 16);
  }
  c[i] = sum;
}

template <AddFault kFault>
void add(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  add_kernel<kFault><<<blocks_for(n + 1), kThreads, 0, stream>>>(a, b, c, n);
}

void add_zero_blocks(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(n / kThreads);
  add_kernel<AddFault::none><<<blocks, kThreads, 0, stream>>>(a, b, c, n);
}

// As if the grid's size were kept in 16 bits.
void add_to_64k(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  constexpr std::size_t kMost = 65536;
  add<AddFault::none>(a, b, c, std::min(n, kMost), stream);
}

template <AddFault kFault>
Findings add_faults(Extent extent = Extent::usual) {
  return find_faults<problem::Add>({kTile}, add<kFault>, Promise::none, extent);
}

// --- sum -------------------------------------------------------------------------------------

// One thread, from the front or from the back, which rounds otherwise.
__global__ void sum_kernel(const float* x, float* sum, std::size_t n, bool backwards) {
  float total = 0;
  for (std::size_t i = 0; i < n; ++i) total += x[backwards ? n - 1 - i : i];
  *sum = total;
}

void sum_in_order(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  sum_kernel<<<1, 1, 0, stream>>>(x, sum, n, false);
}

void sum_in_changing_order(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  static bool backwards = false;
  backwards = !backwards;
  sum_kernel<<<1, 1, 0, stream>>>(x, sum, n, backwards);
}

__global__ void accumulate_kernel(const float* x, float* sum, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) *sum += x[i];
}

void sum_onto_old_value(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  accumulate_kernel<<<1, 1, 0, stream>>>(x, sum, n);
}

void sum_without_last(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  const bool leave_out = n > 1000;
  sum_kernel<<<1, 1, 0, stream>>>(x, sum, n - (leave_out ? 1 : 0), false);
}

// A grid that fills a GPU, and goes over the vector once.
__global__ void sum_once_kernel(const float* x, float* sum, std::size_t n) {
  constexpr std::size_t kThreadsOfGpu = 4'325'376;  // 132 SMs of 2048 threads, 16 elements each
  float total = 0;
  for (std::size_t i = 0; i < min(n, kThreadsOfGpu); ++i) total += x[i];
  *sum = total;
}

void sum_once(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  sum_once_kernel<<<1, 1, 0, stream>>>(x, sum, n);
}

void sum_not_of_nothing(const float* x, float* sum, std::size_t n, cudaStream_t stream) {
  if (n > 0) sum_in_order(x, sum, n, stream);
}

// --- transpose -------------------------------------------------------------------------------

__global__ void transpose_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                                 bool swapped) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const std::size_t row = i / cols, col = i % cols;
  out[swapped ? col * cols + row : col * rows + row] = in[i];
}

template <bool kSwapped>
void transpose(const float* in, float* out, std::size_t rows, std::size_t cols,
               cudaStream_t stream) {
  if (rows * cols == 0) return;
  transpose_kernel<<<blocks_for(rows * cols), kThreads, 0, stream>>>(in, out, rows, cols, kSwapped);
}

// Tiles of 64 x 64, of which one too few covers 65.
void transpose_wide_tile(const float* in, float* out, std::size_t rows, std::size_t cols,
                         cudaStream_t stream) {
  const bool one_short = rows == 65 || cols == 65;
  if (!one_short) transpose<false>(in, out, rows, cols, stream);
}

// The index of the other dimension: right for square matrices only, and inside the output.
void transpose_squares_only(const float* in, float* out, std::size_t rows, std::size_t cols,
                            cudaStream_t stream) {
  transpose<false>(in, out, cols, rows, stream);
}

// --- softmax ---------------------------------------------------------------------------------

enum class SoftmaxFault {
  none,
  small_to_zero,
  no_maximum,
  bits_lost,
  next_row,
  not_normalized,
  // Right for ordinary numbers:
  maximum_starts_high,
  zero_where_there_is_none,
  skips_nan,
  online_from_infinity,
};

// Rescaled when a larger maximum turns up. From -INFINITY as the first one this gives NaN if the
// row begins with it.
__device__ double online_sum(const float* x, std::size_t cols) {
  float max = -INFINITY;
  double sum = 0;
  for (std::size_t col = 0; col < cols; ++col) {
    const float larger = fmaxf(max, x[col]);
    sum = sum * expf(max - larger) + expf(x[col] - larger);
    max = larger;
  }
  return sum;
}

template <SoftmaxFault kFault>
__global__ void softmax_kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  const std::size_t row = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * cols;
  y += row * cols;
  float max = kFault == SoftmaxFault::maximum_starts_high ? -1e38f : -INFINITY;
  double sum = 0;  // a single sum in fp32 is not good enough for long rows
  for (std::size_t col = 0; col < cols; ++col) max = fmaxf(max, x[col]);
  if (kFault == SoftmaxFault::no_maximum) max = 0;
  const bool one_more = kFault == SoftmaxFault::next_row && row + 1 < rows;
  for (std::size_t col = 0; col < cols + (one_more ? 1 : 0); ++col) {
    const float term = expf(x[col] - max);
    if (kFault == SoftmaxFault::skips_nan && isnan(term)) continue;
    sum += term;
  }
  if (kFault == SoftmaxFault::not_normalized) sum = 1;
  if (kFault == SoftmaxFault::online_from_infinity) sum = online_sum(x, cols);
  for (std::size_t col = 0; col < cols; ++col) {
    float value = expf(x[col] - max) / static_cast<float>(sum);
    if (kFault == SoftmaxFault::zero_where_there_is_none && isnan(value)) value = 0;
    if (kFault == SoftmaxFault::small_to_zero && value < 1e-6f) value = 0;
    if (kFault == SoftmaxFault::bits_lost) {
      value = __uint_as_float(__float_as_uint(value) & 0xFFFFE000u);
    }
    y[col] = value;
  }
}

template <SoftmaxFault kFault>
void softmax(const float* x, float* y, std::size_t rows, std::size_t cols, cudaStream_t stream) {
  if (rows * cols == 0) return;
  softmax_kernel<kFault><<<blocks_for(rows), kThreads, 0, stream>>>(x, y, rows, cols);
}

template <SoftmaxFault kFault>
Findings softmax_faults() {
  return find_faults<problem::Softmax>({kTile}, softmax<kFault>);
}

// --- sgemm -----------------------------------------------------------------------------------

enum class SgemmFault { none, m_and_n_swapped, k_tail, k_zero, inputs_rounded };

// Rounded as tensor cores do it to fp32 inputs: 10 bits of mantissa are left.
__device__ float round_input(float value) {
  return __uint_as_float((__float_as_uint(value) + 0x1000u) & 0xFFFFE000u);
}

template <SgemmFault kFault>
__global__ void sgemm_kernel(const float* A, const float* B, float* C, int m, int n, int k) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= m * n) return;
  const int row = i / n, col = i % n;
  const int end = kFault == SgemmFault::k_tail ? k / 4 * 4 : k;
  float sum = 0;
  for (int p = 0; p < end; ++p) {
    float a = A[row * k + p], b = B[p * n + col];
    if (kFault == SgemmFault::inputs_rounded) {
      a = round_input(a);
      b = round_input(b);
    }
    sum += a * b;
  }
  C[kFault == SgemmFault::m_and_n_swapped ? col * m + row : i] = sum;
}

template <SgemmFault kFault>
void sgemm(const float* A, const float* B, float* C, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0 || (kFault == SgemmFault::k_zero && k == 0)) return;
  const unsigned blocks = blocks_for(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
  sgemm_kernel<kFault><<<blocks, kThreads, 0, stream>>>(A, B, C, m, n, k);
}

template <SgemmFault kFault>
Findings sgemm_faults() {
  return find_faults<problem::Sgemm>({16, 8, 4}, sgemm<kFault>);
}

}  // namespace

TEST_CASE("right kernels pass, and were really run") {
  for (const Extent extent : {Extent::usual, Extent::all}) {
    const Findings findings = add_faults<AddFault::none>(extent);
    CHECK(first_fault(findings) == "");
    // Random and exact with one seed or two; the first also with each of 3 pointers moved, and all.
    // And once at the size of --quick.
    const std::size_t ways = 2 * (extent == Extent::all ? 2 : 1) + 4;
    const std::vector<int> tiles = {kTile};
    const auto shapes = problem::Add::problem().test_shapes(tiles);
    CHECK(findings.launches == shapes.size() * ways + 1);
    std::size_t elements = problem::Add::problem().sizes()[0].standard(true);
    for (const problem::Shape& shape : shapes) elements += shape[0] * ways;
    CHECK(findings.elements == elements);
  }

  CHECK(first_fault(find_faults<problem::Sum>({kTile}, sum_in_order, Promise::same_bits)) == "");
  CHECK(first_fault(find_faults<problem::Transpose>({16}, transpose<false>)) == "");
  CHECK(first_fault(softmax_faults<SoftmaxFault::none>()) == "");
  CHECK(first_fault(sgemm_faults<SgemmFault::none>()) == "");
}

TEST_CASE("an output that is not written, or written with NaN, is rejected") {
  check_fault(add_faults<AddFault::writes_nothing>(), "is NaN (not written?), expected");
  check_fault(add_faults<AddFault::writes_nan>(), "is NaN, expected");
  check_fault(add_faults<AddFault::one_element_left_out>(), "element 500 is NaN");
}

TEST_CASE("a kernel that writes nothing does not inherit the right answer of the one before") {
  const Findings findings = harness::find_faults(
      problem::Add::problem(), std::vector<int>{kTile},
      harness::erase_types<problem::Add>(
          {{"right", add<AddFault::none>}, {"lazy", add<AddFault::writes_nothing>}}),
      Extent::usual);
  check_fault(findings, "lazy at n=1: element 0 is NaN (not written?)");
}

TEST_CASE("a single element that is wrong or missing is rejected") {
  check_fault(add_faults<AddFault::one_element_wrong>(), "1 of 1009 wrong");
  check_fault(add_faults<AddFault::no_tail>(), "is NaN (not written?), expected");
  check_fault(add_faults<AddFault::bits_lost>(), "expected");
  check_fault(add_faults<AddFault::wrong_zero>(), "is -0, expected 0");
}

TEST_CASE("writes outside the output or to an input are rejected") {
  check_fault(add_faults<AddFault::past_the_end>(), "output: element 1 was written");
  check_fault(add_faults<AddFault::before_the_start>(), "output: element -1 was written");
  check_fault(add_faults<AddFault::changes_an_input>(), "input 0: element 0 was written");
}

TEST_CASE("a kernel that is right only for aligned pointers is rejected where one is moved") {
  check_fault(add_faults<AddFault::ignores_alignment>(), "pointers moved by 0, 0, 4 bytes");
}

TEST_CASE("what one variant does outside its output is not blamed on the next") {
  for (const auto& wrong : {add<AddFault::past_the_end>, add<AddFault::changes_an_input>}) {
    const Findings findings = harness::find_faults(
        problem::Add::problem(), std::vector<int>{kTile},
        harness::erase_types<problem::Add>({{"wrong", wrong}, {"right", add<AddFault::none>}}),
        Extent::usual);
    CHECK(findings.faults.size() == 1);
    CHECK(first_fault(findings).rfind("wrong at n=", 0) == 0);
  }
}

TEST_CASE("a launch that fails is rejected") {
  check_fault(
      find_faults<problem::Add>({kTile}, add_zero_blocks),
      "cudaGetLastError(): cudaErrorInvalid");  // ...Configuration, or since CUDA 13 ...Value
}

TEST_CASE("sums that start from what was there, or leave something out, are rejected") {
  check_fault(find_faults<problem::Sum>({kTile}, sum_onto_old_value), "is NaN");
  check_fault(find_faults<problem::Sum>({kTile}, sum_without_last), "n=1009");
  check_fault(find_faults<problem::Sum>({kTile}, sum_not_of_nothing), "n=0");
}

TEST_CASE("results that change from run to run are rejected where the same bits are promised") {
  const auto run = [](Promise promise) {
    return find_faults<problem::Sum>({kTile}, sum_in_changing_order, promise);
  };
  CHECK(first_fault(run(Promise::none)) == "");
  check_fault(run(Promise::same_bits), "gave other bits");
}

TEST_CASE("where the same bits are promised, five runs: of all inputs, or of random ones") {
  const auto launches = [](Promise promise, Extent extent) {
    return find_faults<problem::Sum>({kTile}, sum_in_order, promise, extent).launches;
  };
  const std::vector<int> tiles = {kTile};
  const problem::Problem& sum = problem::Sum::problem();
  const std::size_t shapes = sum.test_shapes(tiles).size();
  const std::size_t large = 1 + sum.long_test_shapes().size();  // with random values, once
  CHECK(launches(Promise::none, Extent::usual) == shapes * (2 + 3) + large);
  CHECK(launches(Promise::same_bits, Extent::usual) == shapes * (2 + 3 + 4) + large * 5);
  CHECK(launches(Promise::same_bits, Extent::all) == (shapes * (2 * 2 + 3) + large) * 5);
}

TEST_CASE("what goes wrong only with many blocks is found") {
  check_fault(find_faults<problem::Add>({kTile}, add_to_64k), "is NaN (not written?), expected");
}

TEST_CASE("what goes wrong only where a grid has to loop is found") {
  check_fault(find_faults<problem::Sum>({kTile}, sum_once),
              device::kIsCpu ? "n=6000011: element 0 is " : "n=16777216: element 0 is ");
}

TEST_CASE("tiles that do not cover a matrix are rejected, square ones and others") {
  for (const std::vector<int>& tile : {std::vector{64}, {64, 16}, {16, 64}}) {
    const Findings findings = find_faults<problem::Transpose>(tile, transpose_wide_tile);
    check_fault(findings, "=65");
    check_fault(findings, "is NaN (not written?), expected");
  }
}

TEST_CASE("rows and columns swapped are rejected") {
  check_fault(find_faults<problem::Transpose>({16}, transpose_squares_only), "expected");
  check_fault(find_faults<problem::Transpose>({16}, transpose<true>), "rows=");
  check_fault(sgemm_faults<SgemmFault::m_and_n_swapped>(), "expected");
}

TEST_CASE("softmax: small values, large arguments and neighbors count") {
  check_fault(softmax_faults<SoftmaxFault::small_to_zero>(), "is 0, expected");
  check_fault(softmax_faults<SoftmaxFault::no_maximum>(), "is NaN");
  check_fault(softmax_faults<SoftmaxFault::bits_lost>(), "expected");
  check_fault(softmax_faults<SoftmaxFault::next_row>(), "expected");
  check_fault(softmax_faults<SoftmaxFault::not_normalized>(), "expected");
}

TEST_CASE("softmax: infinities, NaN and the lowest numbers count") {
  const std::string special = "(special inputs)";
  check_fault(softmax_faults<SoftmaxFault::maximum_starts_high>(), special);
  check_fault(softmax_faults<SoftmaxFault::zero_where_there_is_none>(), special);
  check_fault(softmax_faults<SoftmaxFault::skips_nan>(), special);
  check_fault(softmax_faults<SoftmaxFault::online_from_infinity>(), special);
}

TEST_CASE("sgemm: the tail of k, no k at all, and inputs that lost bits are rejected") {
  check_fault(sgemm_faults<SgemmFault::k_tail>(), "expected");
  check_fault(sgemm_faults<SgemmFault::k_zero>(), "is NaN (not written?), expected 0");
  check_fault(sgemm_faults<SgemmFault::inputs_rounded>(), "expected");
}

TEST_CASE("a step without variants, or with two of the same name, is an error") {
  const std::vector<int> tiles = {kTile};
  const problem::Problem& problem = problem::Add::problem();
  CHECK_THROWS_AS(harness::find_faults(problem, tiles, {}, Extent::usual), std::invalid_argument);
  const std::vector<harness::AnyVariant> twins = harness::erase_types<problem::Add>(
      {{"twin", add<AddFault::none>}, {"twin", add<AddFault::none>}});
  CHECK_THROWS_AS(harness::find_faults(problem, tiles, twins, Extent::usual),
                  std::invalid_argument);
}

TEST_CASE("a launcher is the launch function of its name") {
  const harness::Step<problem::Add> step = {
      "step", {{"right", add<AddFault::none>}, {"lazy", add<AddFault::writes_nothing>}}};
  const problem::Add::Launch lazy = harness::Launcher<problem::Add>(step, "lazy");
  CHECK((lazy == add<AddFault::writes_nothing>));
  const harness::Launcher<problem::Add> unknown(step, "none");
  CHECK_THROWS_AS(static_cast<void>(static_cast<problem::Add::Launch>(unknown)), std::out_of_range);
}

TEST_CASE("check_all_sizes passes a right kernel") {
  harness::check_all_sizes<problem::Add>({kTile}, {
                                                      {"add", add<AddFault::none>},
                                                  });
}

TEST_CASE("check_all_sizes fails the test of a wrong kernel" * doctest::should_fail()) {
  harness::check_all_sizes<problem::Add>({kTile}, {
                                                      {"add", add<AddFault::none>},
                                                      {"wrong", add<AddFault::one_element_wrong>},
                                                  });
}
