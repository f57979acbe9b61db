// Lowers CUDA C++ to C++: rewrites, in preprocessed text, everything that is not C++.
//
//   kernel<<<grid, block, shared, stream>>>(a, b)   a call of cucpu::kernel_call
//   __shared__ float tile[32][33];                  storage of the worker's thread
//   extern __shared__ float s[];                    the worker's dynamic shared memory
//   __global__ void kernel(...) { ... }             a function, and its registration by address
//   __device__ int counter;                         a variable of this file alone
//   __device__, __host__, __launch_bounds__, ...    dropped
//
// Lines keep their numbers, so that compilers and debuggers speak of the user's file.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cucpu::lower {

// Something that looks like CUDA but cannot be read; what() is "FILE:LINE: error: ...".
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  // nvcc's -rdc=true: __device__ and __constant__ variables are known to all files of the program.
  // Otherwise each file has its own, but one of a header is shared by the files that include it.
  bool shared_device_variables = false;
  // For a traced program: device code tells of each `return;`.
  bool traced = false;
};

// `preprocessed`: the output of `g++ -E` or `clang++ -E`, line markers included. The result can
// be compiled as C++20 with cuda_runtime.h and cucpu/lowered.h having been included.
std::string lower(std::string_view preprocessed, const Options& options = {});

}  // namespace cucpu::lower
