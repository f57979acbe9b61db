// A .cu file sees all of this without including anything, as with nvcc: the runtime API with its
// C++ forms, the vector types, and everything that device code may call.
#pragma once

#define __CUDA_RUNTIME_H__  // NVIDIA's include guard, which programs ask for

#ifdef __CUDACC__
// The release of nvcc whose language this is.
#define __NVCC__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#endif

#include <assert.h>
#include <limits.h>

#include <cmath>
// For programs CUDA is C++17, whose <math.h> has no ::lerp: programs have their own.
namespace std {
void cucpu_no_lerp();
}
#define lerp cucpu_no_lerp
#include <math.h>
#undef lerp
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <type_traits>
#include <utility>

#include "cucpu/launch.h"
#include "cucpu/shared.h"
#include "cuda_runtime_api.h"
#include "device_functions.h"
#include "device_launch_parameters.h"
#include "vector_functions.h"

// --- Memory of three dimensions ---

inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* memory, std::size_t pitch, std::size_t width,
                                          std::size_t height) {
  return {memory, pitch, width, height};
}

// --- Allocation of typed pointers ---

namespace cucpu {
// The address of a typed pointer, as the untyped functions take it; its elements may be const or
// volatile.
template <class T>
void** untyped(T** pointer) {
  return static_cast<void**>(static_cast<void*>(pointer));
}
}  // namespace cucpu

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(cucpu::untyped(pointer), bytes);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return cudaMallocPitch(cucpu::untyped(pointer), pitch, width, height);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes,
                              unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(cucpu::untyped(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(cucpu::untyped(pointer), bytes, stream);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned flags = cudaHostAllocDefault) {
  return cudaHostAlloc(cucpu::untyped(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(cucpu::untyped(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer(cucpu::untyped(device), host, flags);
}
inline cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                   cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaMemPool_t pool,
                            cudaStream_t stream) {
  return cudaMallocFromPoolAsync(cucpu::untyped(pointer), bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cudaMallocFromPoolAsync(cucpu::untyped(pointer), bytes, pool, stream);
}

// The calls of CUDA 13, which name a place, beside those of CUDA 12, which name a device.
namespace cucpu {
inline int device_of(cudaMemLocation location) {
  return location.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : location.id;
}
}  // namespace cucpu
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes,
                                        cudaMemLocation location, unsigned /*flags*/,
                                        cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, bytes, cucpu::device_of(location), stream);
}
inline cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                                 cudaMemLocation location) {
  return cudaMemAdvise(pointer, bytes, advice, cucpu::device_of(location));
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}

// --- Symbols: __device__ and __constant__ variables are variables of the program ---

namespace cucpu {
// Each makes the variable known, so that its address may go where device pointers go. Copies that
// stay within a symbol of `size` bytes, else cudaErrorInvalidValue.
cudaError_t copy_to_symbol(void* symbol, std::size_t size, const void* from, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                           bool is_async);
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t size, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                             bool is_async);
cudaError_t symbol_address(void** pointer, void* symbol, std::size_t size);
cudaError_t symbol_size(std::size_t* bytes, std::size_t size);
template <class T>
void* address_of(const T& symbol) {
  return const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(symbol)));
}
}  // namespace cucpu

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cucpu::copy_to_symbol(cucpu::address_of(symbol), sizeof(T), from, bytes, offset, kind,
                               nullptr, false);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes,
                                    std::size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  return cucpu::copy_to_symbol(cucpu::address_of(symbol), sizeof(T), from, bytes, offset, kind,
                               stream, true);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cucpu::copy_from_symbol(to, cucpu::address_of(symbol), sizeof(T), bytes, offset, kind,
                                 nullptr, false);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                      std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  return cucpu::copy_from_symbol(to, cucpu::address_of(symbol), sizeof(T), bytes, offset, kind,
                                 stream, true);
}
// A symbol by its address, `static_cast<const void*>(&variable)`: nothing here tells its size.
inline cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                      std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cucpu::copy_to_symbol(const_cast<void*>(symbol), offset + bytes, from, bytes, offset, kind,
                               nullptr, false);
}
inline cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = nullptr) {
  return cucpu::copy_to_symbol(const_cast<void*>(symbol), offset + bytes, from, bytes, offset, kind,
                               stream, true);
}
inline cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                        std::size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cucpu::copy_from_symbol(to, symbol, offset + bytes, bytes, offset, kind, nullptr, false);
}
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = nullptr) {
  return cucpu::copy_from_symbol(to, symbol, offset + bytes, bytes, offset, kind, stream, true);
}

template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  return cucpu::symbol_address(pointer, cucpu::address_of(symbol), sizeof(T));
}
template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T&) {
  return cucpu::symbol_size(bytes, sizeof(T));
}

// --- Kernels by their typed address ---

// Instances of kernel templates are known from their first launch by a typed address on.
template <class... Params>
cudaError_t cudaLaunchKernel(void (*kernel)(Params...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  [[maybe_unused]] cucpu::KernelRegistration registration(kernel, "kernel");
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments,
                          shared_bytes, stream);
}
template <class... Params>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Params...), dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  [[maybe_unused]] cucpu::KernelRegistration registration(kernel, "kernel");
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments,
                                     shared_bytes, stream);
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel* kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), config);
}
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel* kernel, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(kernel), config);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel kernel, int threads,
                                                          std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void*>(kernel), threads, shared_bytes);
}

// The block size that keeps the most threads resident, and how many such blocks fill the device.
// `shared_bytes(threads)` is the dynamic shared memory that a block of that size needs.
template <class Kernel, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid_size, int* block_size,
                                                           Kernel kernel, SharedBytes shared_bytes,
                                                           int block_limit = 0) {
  if (grid_size == nullptr || block_size == nullptr || block_limit < 0) {
    return cudaErrorInvalidValue;
  }
  cudaFuncAttributes attributes;
  const cudaError_t unknown =
      cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
  if (unknown != cudaSuccess) return unknown;
  const int max_threads = attributes.maxThreadsPerBlock;
  if (block_limit == 0 || block_limit > max_threads) block_limit = max_threads;
  int best_threads = 0;
  int best_block = 0;
  int best_blocks = 0;
  // From the largest size down, so that of equals the largest wins.
  for (int block = block_limit; block > 0; block = (block - 1) / warpSize * warpSize) {
    int blocks = 0;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, reinterpret_cast<const void*>(kernel), block, shared_bytes(block));
    if (error != cudaSuccess) return error;
    if (blocks * block > best_threads) {
      best_threads = blocks * block;
      best_block = block;
      best_blocks = blocks;
    }
  }
  int multiprocessors = 0;
  const cudaError_t error =
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  if (error != cudaSuccess) return error;
  *block_size = best_block;
  *grid_size = best_blocks * multiprocessors;
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Kernel kernel,
                                               std::size_t shared_bytes = 0, int block_limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid_size, block_size, kernel, [shared_bytes](int) { return shared_bytes; }, block_limit);
}
// The flags tell how a GPU's L1 cache is used, which changes nothing here.
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size,
                                                        Kernel kernel, std::size_t shared_bytes = 0,
                                                        int block_limit = 0,
                                                        unsigned /*flags*/ = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, kernel, shared_bytes,
                                            block_limit);
}
template <class Kernel, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid_size, int* block_size,
                                                                    Kernel kernel,
                                                                    SharedBytes shared_bytes,
                                                                    int block_limit = 0,
                                                                    unsigned /*flags*/ = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid_size, block_size, kernel, shared_bytes,
                                                        block_limit);
}
