// clangd reads this before a .cu or .cuh file (common/editor): CUDA's keywords, and this folder's
// headers in place of the Toolkit's. Nothing is compiled with it.
#pragma once

// Clang keeps the host's functions and the device's apart, and has a kernel call only the latter.
// Here everything is for both, the standard library included, because the host runs the kernels. So
// the words of CUDA need no meaning, and only <<<>>> asks for a kernel that clang knows as one.
//
// The functions of <new> are not: the compiler itself declares some, for each side.
#pragma clang force_cuda_host_device begin
#if __has_include(<bits/exception.h>)
#include <bits/exception.h>
#endif
#pragma clang force_cuda_host_device end
#include <new>
#define __CLANG_CUDA_WRAPPERS_NEW  // clang's own <new>, which has them for the device once more

#define __host__
#define __device__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __noinline__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __global__ __attribute__((global))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

// Placement new in a kernel. Its last parameter tells it from the host's, where clangd reads both
// back from what it keeps of the headers.
__attribute__((device)) void* operator new(std::size_t bytes, void* place, int = 0);
__attribute__((device)) void* operator new[](std::size_t bytes, void* place, int = 0);

#pragma clang force_cuda_host_device begin  // to the end of the file that is being edited

// In this mode clang 14 crashes on a class with a member that is a std::pair of C++20.
#include <compare>
#include <concepts>
#if __has_include(<bits/stl_pair.h>)
#pragma push_macro("__cpp_lib_concepts")
#undef __cpp_lib_concepts
#include <bits/stl_pair.h>
#pragma pop_macro("__cpp_lib_concepts")
#endif

#include <cuda_runtime.h>

// Clang looks these up for <<<>>>: which one depends on the CUDA release that it supports.
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                                         cudaStream_t stream = nullptr);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                                                cudaStream_t stream = nullptr);
