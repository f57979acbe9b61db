// The numbers that cuRAND's generators give in kernels, for half_functions to write down.
#pragma once

#include <curand_kernel.h>

#include <cstdio>
#include <string_view>
#include <type_traits>
#include <vector>

#include "function_record.h"

namespace calibration {

constexpr int kDraws = 1024;  // of each kind
constexpr int kKept = 16;     // of those that are written down one by one

struct Start {
  unsigned long long seed, sequence, offset;
};
constexpr Start kStarts[] = {{0, 0, 0},          {1234, 0, 0},
                             {1234, 1, 0},       {1234, 5, 7},
                             {42, 1000, 3},      {42, 65535, 1000000},
                             {1ull << 40, 3, 2}, {0xdeadbeefcafef00d, 0x1234567890, 1ull << 32}};

__device__ inline Word bits_of(unsigned x) { return x; }
__device__ inline Word bits_of(float x) { return __float_as_uint(x); }
__device__ inline Word bits_of(double x) { return static_cast<Word>(__double_as_longlong(x)); }

__device__ inline unsigned sum(uint4 four) { return four.x + 3 * four.y + 5 * four.z + 7 * four.w; }
__device__ inline float sum(float4 four) { return (four.x + four.y) + (four.z - four.w); }

// A type for the kernel to be a template over, as a function of CUDA's cannot be an argument of
// one.
#define CALIBRATION_DRAW(type, name, Result, expression) \
  struct type {                                          \
    static constexpr std::string_view kName = name;      \
    static constexpr int kDigits = 2 * sizeof(Result);   \
    template <class State>                               \
    __device__ Result operator()(State* state) const {   \
      return expression;                                 \
    }                                                    \
  };
CALIBRATION_DRAW(Bits, "bits", unsigned, curand(state))
CALIBRATION_DRAW(Uniform, "uniform", float, curand_uniform(state))
CALIBRATION_DRAW(UniformDouble, "uniform_double", double, curand_uniform_double(state))
CALIBRATION_DRAW(Normal, "normal", float, curand_normal(state))
CALIBRATION_DRAW(NormalDouble, "normal_double", double, curand_normal_double(state))
CALIBRATION_DRAW(LogNormal, "log_normal", float, curand_log_normal(state, 0.5f, 0.25f))
CALIBRATION_DRAW(LogNormalDouble, "log_normal_double", double,
                 curand_log_normal_double(state, 0.5, 0.25))
// Philox has four at once.
CALIBRATION_DRAW(FourUniforms, "uniform4", float, sum(curand_uniform4(state)))
CALIBRATION_DRAW(FourNormals, "normal4", float, sum(curand_normal4(state)))
CALIBRATION_DRAW(FourBits, "bits4", unsigned, sum(curand4(state)))
#undef CALIBRATION_DRAW

template <class State, class Draw>
__global__ void draw_all(Start start, Word* results) {
  State state;
  curand_init(start.seed, start.sequence, start.offset, &state);
  for (int i = 0; i < kDraws; ++i) results[i] = bits_of(Draw()(&state));
}

template <class State, class Draw>
void write_draws(std::FILE* file, std::string_view generator) {
  Word* results = nullptr;
  check(cudaMallocManaged(&results, kDraws * sizeof(Word)), "cudaMallocManaged");
  for (const Start& start : kStarts) {
    draw_all<State, Draw><<<1, 1>>>(start, results);
    check(cudaDeviceSynchronize(), "draws");
    const std::vector<Word> all(results, results + kDraws);
    std::string kept;
    for (int i = 0; i < kKept; ++i) kept += hexadecimal(all[i], Draw::kDigits);
    Line()
        .add("function", Draw::kName)
        .add("type", generator)
        .add("seed", start.seed)
        .add("sequence", start.sequence)
        .add("offset", start.offset)
        .add("hashes", hashes(all, kDraws))
        .add("first", kept)
        .write(file);
  }
  check(cudaFree(results), "cudaFree");
}

template <class State, class... Draws>
void write_sequences(std::FILE* file, std::string_view generator) {
  (write_draws<State, Draws>(file, generator), ...);
}

inline void write_sequences(std::FILE* file) {
  write_sequences<curandStateXORWOW_t, Bits, Uniform, UniformDouble, Normal, NormalDouble,
                  LogNormal, LogNormalDouble>(file, "xorwow");
  write_sequences<curandStatePhilox4_32_10_t, Bits, Uniform, UniformDouble, Normal, NormalDouble,
                  LogNormal, LogNormalDouble, FourBits, FourUniforms, FourNormals>(file, "philox");
}

}  // namespace calibration
