// Writes to a file the results that functions of 16-bit floats, and cuRAND's generators, have on a
// device.
//
//   half_functions FILE
//
// A line of JSON per function: hashes of its results for all arguments, or for many pairs and
// triples of them; and for functions that need not be correctly rounded, which results are not,
// and by how much. half_functions.py compares the file with what another device gives.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "function_record.h"
#include "random_sequences.cuh"

namespace {

using calibration::check;
using calibration::hashes;
using calibration::hexadecimal;
using calibration::Line;
using calibration::scrambled;
using calibration::Word;

constexpr unsigned kAll = 65536;       // arguments of 16 bits
constexpr unsigned kSamples = 262144;  // pairs, triples, or numbers of other types
constexpr unsigned kParts = 16;  // hashes per sample, and where each argument has a wide result

// --- the formats ---------------------------------------------------------------------------------

template <class T>
struct Format;
template <>
struct Format<__half> {
  static constexpr const char* kName = "half";
  static constexpr int kDigits = 10;
  static constexpr int kBias = 15;
};
template <>
struct Format<__nv_bfloat16> {
  static constexpr const char* kName = "bfloat16";
  static constexpr int kDigits = 7;
  static constexpr int kBias = 127;
};
template <class T>
constexpr unsigned kInfinity = 0x7fff >> Format<T>::kDigits << Format<T>::kDigits;

template <class T>
__device__ T of_bits(unsigned bits) {
  if constexpr (std::is_same_v<T, __half>)
    return __ushort_as_half(static_cast<unsigned short>(bits));
  else
    return __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}
__device__ Word word(__half a) { return __half_as_ushort(a); }
__device__ Word word(__nv_bfloat16 a) { return __bfloat16_as_ushort(a); }
__device__ Word word(__half2 a) { return word(a.x) | word(a.y) << 16; }
__device__ Word word(__nv_bfloat162 a) { return word(a.x) | word(a.y) << 16; }
__device__ Word word(float a) { return __float_as_uint(a); }
template <class Integer>
__device__ Word word(Integer a) {
  return static_cast<Word>(a);
}
__device__ __half2 pair(__half x, __half y) { return __halves2half2(x, y); }
__device__ __nv_bfloat162 pair(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __halves2bfloat162(x, y);
}

template <class T>
double meaning(unsigned bits) {
  const unsigned magnitude = bits & 0x7fff;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (magnitude > kInfinity<T>) return NAN;
  if (magnitude == kInfinity<T>) return sign * INFINITY;
  const int field = static_cast<int>(magnitude >> Format<T>::kDigits);
  const int digits = static_cast<int>(magnitude) & ((1 << Format<T>::kDigits) - 1);
  const int significand = field != 0 ? digits + (1 << Format<T>::kDigits) : digits;
  return sign * std::ldexp(significand, std::max(field, 1) - Format<T>::kBias - Format<T>::kDigits);
}

// The bits of the nearest number, of two the even one.
template <class T>
unsigned nearest(double value) {
  if (std::isnan(value)) return 0x7fff;
  const unsigned sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude) || magnitude == 0) return sign | (magnitude == 0 ? 0 : kInfinity<T>);
  const int lowest = 1 - Format<T>::kBias;
  const int exponent = std::max(std::ilogb(magnitude), lowest);
  const double units = std::nearbyint(std::ldexp(magnitude, Format<T>::kDigits - exponent));
  const double bits = std::ldexp(exponent - lowest, Format<T>::kDigits) + units;
  return sign | static_cast<unsigned>(std::min(bits, static_cast<double>(kInfinity<T>)));
}

// --- arguments and results -----------------------------------------------------------------------

// Gives the i-th result. A device function's address is known on the device alone, so each has a
// variable there that holds it.
using Function = Word (*)(unsigned i);

__global__ void compute(Function function, unsigned count, Word* results) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) results[i] = function(i);
}
std::vector<Word> results_of(const Function& symbol, unsigned count) {
  Function function = nullptr;
  check(cudaMemcpyFromSymbol(&function, symbol, sizeof(function)), "cudaMemcpyFromSymbol");
  Word* results = nullptr;
  check(cudaMallocManaged(&results, count * sizeof(Word)), "cudaMallocManaged");
  compute<<<(count + 255) / 256, 256>>>(function, count, results);
  check(cudaDeviceSynchronize(), "compute");
  const std::vector<Word> all(results, results + count);
  check(cudaFree(results), "cudaFree");
  return all;
}

// Three numbers, near each other every second time: a sum of numbers far apart shows little.
template <class T>
struct Triple {
  T a, b, c;
  __device__ explicit Triple(unsigned i) {
    const unsigned first = scrambled(3 * i);
    const unsigned second = scrambled(3 * i + 1);
    const unsigned third = scrambled(3 * i + 2);
    const unsigned digits = (1u << Format<T>::kDigits) - 1;
    const bool is_near = i % 2 != 0;
    const int field_a = static_cast<int>((first & 0x7fff) >> Format<T>::kDigits);
    const int field_b = near(field_a, second >> 16);
    const int field_c = near(field_a + field_b - Format<T>::kBias, third >> 16);
    a = of_bits<T>(first & 0xffff);
    b = of_bits<T>(is_near ? with_field(second, field_b, digits) : second & 0xffff);
    c = of_bits<T>(is_near ? with_field(third, field_c, digits) : third & 0xffff);
  }
  __device__ auto ab() const { return pair(a, b); }
  __device__ auto bc() const { return pair(b, c); }
  __device__ auto ca() const { return pair(c, a); }

 private:
  __device__ static int near(int field, unsigned random) {
    const int other = field + static_cast<int>(random % 25) - 12;
    const int last = static_cast<int>(kInfinity<T> >> Format<T>::kDigits) - 1;
    return other < 0 ? 0 : other > last ? last : other;
  }
  __device__ static unsigned with_field(unsigned random, int field, unsigned digits) {
    return (random & (0x8000 | digits)) | static_cast<unsigned>(field) << Format<T>::kDigits;
  }
};

// Numbers of other types: bits at random, and, of floats, every second time close to a number of
// 16 bits or to the middle of two.
template <class Number>
__device__ Number sample(unsigned i) {
  const Word bits = static_cast<Word>(scrambled(2 * i)) << 32 | scrambled(2 * i + 1);
  if constexpr (std::is_same_v<Number, float>) {
    const unsigned high = static_cast<unsigned>(bits >> 32);
    const unsigned step = 0x1000u << (i / 2 % 5);
    const unsigned near = (high & ~(step - 1)) + i / 16 % 3 - 1;
    return __uint_as_float(i % 2 != 0 ? near : high);
  } else if constexpr (std::is_same_v<Number, double>) {
    const double near = static_cast<double>(sample<float>(i));
    return near + near * (static_cast<double>(i / 32 % 3) - 1) * 0x1p-45;
  } else {
    return static_cast<Number>(bits >> (i % 64));
  }
}

// --- what is written -----------------------------------------------------------------------------

// The arguments for which a function is not correctly rounded, each after the number that is to be
// added to the bits of the right result.
template <class T>
void add_differences(Line& line, const std::vector<Word>& results, double (*exact)(double)) {
  std::map<int, std::string> arguments;
  unsigned count = 0;
  for (unsigned i = 0; i < kAll; ++i) {
    const int off =
        static_cast<int>(results[i]) - static_cast<int>(nearest<T>(exact(meaning<T>(i))));
    if (off == 0) continue;
    arguments[off] += hexadecimal(i, 4);
    ++count;
  }
  line.add("misrounded", static_cast<Word>(count));
  for (const auto& [off, list] : arguments) line.add("off by " + std::to_string(off), list);
}

// The entries that main writes, in this order.
std::vector<std::function<void(std::FILE*)>>& entries() {
  static std::vector<std::function<void(std::FILE*)>> all;
  return all;
}

struct Entry {
  Entry(const char* name, const char* type, unsigned count, const Function& symbol) {
    entries().push_back([=, &symbol](std::FILE* file) {
      Line()
          .add("function", name)
          .add("type", type)
          .add("hashes", hashes(results_of(symbol, count), count / kParts))
          .write(file);
    });
  }
};

// All arguments of 16 bits, against what `exact` gives.
template <class T>
struct UnaryEntry {
  UnaryEntry(const char* name, double (*exact)(double), const Function& symbol) {
    entries().push_back([=, &symbol](std::FILE* file) {
      const std::vector<Word> results = results_of(symbol, kAll);
      Line line;
      line.add("function", name).add("type", Format<T>::kName).add("hashes", hashes(results, 256));
      add_differences<T>(line, results, exact);
      line.write(file);
    });
  }
};

// --- the functions -------------------------------------------------------------------------------

#define UNARY(name, exact)                                                      \
  template <class T>                                                            \
  __device__ Word result_##name(unsigned i) {                                   \
    return word(name(of_bits<T>(i)));                                           \
  }                                                                             \
  double exact_##name(double x) { return exact; }                               \
  __device__ Function half_##name = result_##name<__half>;                      \
  __device__ Function bfloat16_##name = result_##name<__nv_bfloat16>;           \
  const UnaryEntry<__half> half_entry_##name(#name, exact_##name, half_##name); \
  const UnaryEntry<__nv_bfloat16> bfloat16_entry_##name(#name, exact_##name, bfloat16_##name);
UNARY(hsqrt, std::sqrt(x))
UNARY(hrsqrt, 1 / std::sqrt(x))
UNARY(hrcp, 1 / x)
UNARY(hexp, std::exp(x))
UNARY(hexp2, std::exp2(x))
UNARY(hexp10, std::pow(10.0, x))
UNARY(hlog, std::log(x))
UNARY(hlog2, std::log2(x))
UNARY(hlog10, std::log10(x))
UNARY(hsin, std::sin(x))
UNARY(hcos, std::cos(x))
UNARY(htanh, std::tanh(x))
UNARY(htanh_approx, std::tanh(x))
UNARY(hceil, std::ceil(x))
UNARY(hfloor, std::floor(x))
UNARY(htrunc, std::trunc(x))
UNARY(hrint, std::nearbyint(x))
UNARY(__hneg, -x)
UNARY(__habs, std::fabs(x))

// A function of both types, of the i-th arguments.
#define BOTH(name, count, expression)                                 \
  template <class T>                                                  \
  __device__ Word result_##name(unsigned i) {                         \
    return word(expression);                                          \
  }                                                                   \
  __device__ Function half_##name = result_##name<__half>;            \
  __device__ Function bfloat16_##name = result_##name<__nv_bfloat16>; \
  const Entry half_entry_##name(#name, "half", count, half_##name);   \
  const Entry bfloat16_entry_##name(#name, "bfloat16", count, bfloat16_##name);

// Two neighbors, so that it shows when they change places.
#define PAIR(name) BOTH(name, kAll, name(pair(of_bits<T>(i), of_bits<T>(i + 1))))
// clang-format off
PAIR(h2sqrt) PAIR(h2rsqrt) PAIR(h2rcp)
PAIR(h2exp) PAIR(h2exp2) PAIR(h2exp10) PAIR(h2log) PAIR(h2log2) PAIR(h2log10)
PAIR(h2sin) PAIR(h2cos) PAIR(h2tanh) PAIR(h2tanh_approx)
PAIR(h2ceil) PAIR(h2floor) PAIR(h2trunc) PAIR(h2rint)
PAIR(__hneg2) PAIR(__habs2)
BOTH(__hisnan, kAll, __hisnan(of_bits<T>(i)))
BOTH(__hisinf, kAll, __hisinf(of_bits<T>(i)) + 1)

#define BINARY(name) BOTH(name, kSamples, name(Triple<T>(i).a, Triple<T>(i).b))
BINARY(__hadd) BINARY(__hsub) BINARY(__hmul) BINARY(__hdiv)
BINARY(__hadd_rn) BINARY(__hsub_rn) BINARY(__hmul_rn)
BINARY(__hadd_sat) BINARY(__hsub_sat) BINARY(__hmul_sat)
BINARY(__hmin) BINARY(__hmax) BINARY(__hmin_nan) BINARY(__hmax_nan)
BINARY(__heq) BINARY(__hne) BINARY(__hlt) BINARY(__hle) BINARY(__hgt) BINARY(__hge)
BINARY(__hequ) BINARY(__hneu) BINARY(__hltu) BINARY(__hleu) BINARY(__hgtu) BINARY(__hgeu)

#define BINARY_PAIR(name) BOTH(name, kSamples, name(Triple<T>(i).ab(), Triple<T>(i).bc()))
BINARY_PAIR(__hadd2) BINARY_PAIR(__hsub2) BINARY_PAIR(__hmul2) BINARY_PAIR(__h2div)
BINARY_PAIR(__hadd2_sat) BINARY_PAIR(__hmul2_sat) BINARY_PAIR(__hmin2) BINARY_PAIR(__hmax2)
BINARY_PAIR(__heq2) BINARY_PAIR(__hneu2) BINARY_PAIR(__hltu2) BINARY_PAIR(__hge2_mask)

#define TERNARY(name) BOTH(name, kSamples, name(Triple<T>(i).a, Triple<T>(i).b, Triple<T>(i).c))
TERNARY(__hfma) TERNARY(__hfma_sat) TERNARY(__hfma_relu)
#define TERNARY_PAIR(name) \
  BOTH(name, kSamples, name(Triple<T>(i).ab(), Triple<T>(i).bc(), Triple<T>(i).ca()))
TERNARY_PAIR(__hfma2) TERNARY_PAIR(__hfma2_relu) TERNARY_PAIR(__hcmadd)
// clang-format on

// Conversions, whose names have the type.
#define CONVERSION(type, name, count, expression)                        \
  __device__ Word result_##name(unsigned i) { return word(expression); } \
  __device__ Function type##_##name = result_##name;                     \
  const Entry entry_##name(#name, #type, count, type##_##name);
#define FROM(type, name, Number) CONVERSION(type, name, kSamples, name(sample<Number>(i)))
#define TO(type, name) CONVERSION(type, name, kAll, name(of_bits<type##_t>(i)))
#define FROM_ROUNDED(type, name, Number) \
  FROM(type, name##_rn, Number)          \
  FROM(type, name##_rz, Number)          \
  FROM(type, name##_ru, Number)          \
  FROM(type, name##_rd, Number)
#define TO_ROUNDED(type, name) \
  TO(type, name##_rn)          \
  TO(type, name##_rz)          \
  TO(type, name##_ru)          \
  TO(type, name##_rd)
#define CONVERSIONS(type)                              \
  FROM(type, __float2##type, float)                    \
  FROM(type, __double2##type, double)                  \
  FROM_ROUNDED(type, __float2##type, float)            \
  FROM_ROUNDED(type, __short2##type, short)            \
  FROM_ROUNDED(type, __ushort2##type, unsigned short)  \
  FROM_ROUNDED(type, __int2##type, int)                \
  FROM_ROUNDED(type, __uint2##type, unsigned)          \
  FROM_ROUNDED(type, __ll2##type, long long)           \
  FROM_ROUNDED(type, __ull2##type, unsigned long long) \
  TO(type, __##type##2float)                           \
  TO_ROUNDED(type, __##type##2short)                   \
  TO_ROUNDED(type, __##type##2ushort)                  \
  TO_ROUNDED(type, __##type##2int)                     \
  TO_ROUNDED(type, __##type##2uint)                    \
  TO_ROUNDED(type, __##type##2ll)                      \
  TO_ROUNDED(type, __##type##2ull)                     \
  TO(type, __##type##2char_rz)                         \
  TO(type, __##type##2uchar_rz)
                                                                            using half_t = __half;
using bfloat16_t = __nv_bfloat16;
CONVERSIONS(half)
CONVERSIONS(bfloat16)

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof(text), "%F", std::gmtime(&now));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "error: %d arguments: allowed: one, the file to write\n", argc - 1);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  cudaDeviceProp device;
  int driver = 0;
  int runtime = 0;
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  Line()
      .add("device", device.name)
      .add("driver", static_cast<Word>(driver))
      .add("runtime", static_cast<Word>(runtime))
      .add("date", today())
      .write(file);
  for (const auto& write : entries()) write(file);
  calibration::write_sequences(file);
  if (std::fclose(file) == 0) return 0;
  std::perror(argv[1]);
  return 2;
}
