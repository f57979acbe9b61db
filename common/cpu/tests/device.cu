// The device: properties, limits, attributes of kernels, occupancy.
#include <cstdlib>
#include <string>

#include "support.h"

namespace {

__global__ void simple(int* out) { *out = 1; }
__global__ void allocates() { free(malloc(1)); }

template <int N>
__global__ void templated(int* out) {
  *out = N;
}

int attribute(cudaDeviceAttr which) {
  int value = -1;
  CHECK(cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess);
  return value;
}

const bool kDeviceIsHidden = [] {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr && visible[0] != '0';
}();

}  // namespace

TEST_SUITE("with a device" * doctest::skip(kDeviceIsHidden)) {
  TEST_CASE("there is one device") {
    int count = 0;
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(count == 1);
    int device = -1;
    CHECK(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(device == 0);
    for (const int none : {1, -1, 1000}) {
      cudaDeviceProp properties{};
      int value = 0;
      CHECK(cudaSetDevice(none) == cudaErrorInvalidDevice);
      CHECK(cudaGetDeviceProperties(&properties, none) == cudaErrorInvalidDevice);
      CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, none) == cudaErrorInvalidDevice);
    }
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  }

  TEST_CASE("properties and attributes agree") {
    cudaDeviceProp p{};
    REQUIRE(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
    CHECK(std::string(p.name).substr(0, 4) == "CPU ");
    CHECK(p.warpSize == 32);
    CHECK(p.maxThreadsPerBlock == 1024);
    const char* const multiprocessors = std::getenv("CUCPU_SMS");
    CHECK(p.multiProcessorCount >= 1);
    if (multiprocessors) CHECK(p.multiProcessorCount == std::atoi(multiprocessors));
    CHECK(p.totalGlobalMem > (1u << 20));
    CHECK(attribute(cudaDevAttrWarpSize) == p.warpSize);
    CHECK(attribute(cudaDevAttrMaxThreadsPerBlock) == p.maxThreadsPerBlock);
    CHECK(attribute(cudaDevAttrMaxBlockDimZ) == 64);
    CHECK(attribute(cudaDevAttrMaxGridDimX) == 0x7fffffff);
    CHECK(attribute(cudaDevAttrMaxGridDimY) == 65535);
    CHECK(attribute(cudaDevAttrMultiProcessorCount) == p.multiProcessorCount);
    CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlock) == 48 * 1024);
    CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == 227 * 1024);
    CHECK(attribute(cudaDevAttrComputeCapabilityMajor) == p.major);
    CHECK(attribute(cudaDevAttrCooperativeLaunch) == 1);
    CHECK(attribute(cudaDevAttrTexturePitchAlignment) == 32);
    CHECK(attribute(cudaDevAttrHostNumaId) == -1);
    // Streams run beside each other, and so do copies.
    CHECK(attribute(cudaDevAttrGpuOverlap) == 1);
    CHECK(attribute(cudaDevAttrConcurrentKernels) == 1);
    CHECK(attribute(cudaDevAttrAsyncEngineCount) == p.asyncEngineCount);
    CHECK(p.asyncEngineCount > 0);
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(127), 0) ==
          cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  }

  TEST_CASE("textures, surfaces and clusters: there are none") {
    cudaDeviceProp p{};
    REQUIRE(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
    CHECK(p.maxTexture1D == 0);
    CHECK(p.maxTexture2D[1] == 0);
    CHECK(p.maxTexture3D[2] == 0);
    CHECK(p.maxTexture2DLayered[2] == 0);
    CHECK(p.maxSurface2D[0] == 0);
    CHECK(p.clusterLaunch == 0);
    for (const cudaDeviceAttr none :
         {cudaDevAttrMaxTexture1DWidth, cudaDevAttrMaxTexture2DLinearPitch,
          cudaDevAttrMaxTexture1DMipmappedWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers,
          cudaDevAttrClusterLaunch, cudaDevAttrGPUDirectRDMASupported})
      CHECK(attribute(none) == 0);
  }

  TEST_CASE("versions") {
    int runtime = 0;
    int driver = 0;
    CHECK(cudaRuntimeGetVersion(&runtime) == cudaSuccess);
    CHECK(cudaDriverGetVersion(&driver) == cudaSuccess);
    CHECK(runtime == CUDART_VERSION);
    CHECK(driver >= runtime);
  }

  TEST_CASE("limits are kept until the reset") {
    std::size_t initial = 0;
    REQUIRE(cudaDeviceGetLimit(&initial, cudaLimitStackSize) == cudaSuccess);
    CHECK(initial >= 16 * 1024);
    std::size_t value = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 2 * initial) == cudaSuccess);
    CHECK(cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaSuccess);
    CHECK(value >= 2 * initial);
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1234567) == cudaSuccess);
    CHECK(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize) == cudaSuccess);
    CHECK(value >= 1234567);
    CHECK(cudaDeviceSetLimit(static_cast<cudaLimit>(7), 1) == cudaErrorUnsupportedLimit);
    CHECK(cudaGetLastError() == cudaErrorUnsupportedLimit);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaSuccess);
    CHECK(value == initial);
  }

  // The sizes that an H200 gave on 2026-11-28.
  TEST_CASE("the heap has the size that was asked for, or somewhat more, until a kernel uses it") {
    CHECK(cudaDeviceReset() == cudaSuccess);
    std::size_t value = 0;
    CHECK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize) == cudaSuccess);
    CHECK(value == 8388608);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1234567) == cudaSuccess);
    CHECK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize) == cudaSuccess);
    CHECK(value == 4194304);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 5000000) == cudaSuccess);
    CHECK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize) == cudaSuccess);
    CHECK(value == 5046272);
    allocates<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 6000000) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize) == cudaSuccess);
    CHECK(value == 5046272);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize) == cudaSuccess);
    CHECK(value == 8388608);
  }

  TEST_CASE("attributes of kernels") {
    cudaFuncAttributes a{};
    CHECK(cudaFuncGetAttributes(&a, simple) == cudaSuccess);
    CHECK(a.maxThreadsPerBlock == 1024);
    CHECK(a.maxDynamicSharedSizeBytes == 48 * 1024);
    CHECK(cudaFuncSetAttribute(simple, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536) ==
          cudaSuccess);
    CHECK(cudaFuncSetAttribute(simple, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared) == cudaSuccess);
    CHECK(cudaFuncGetAttributes(&a, simple) == cudaSuccess);
    CHECK(a.maxDynamicSharedSizeBytes == 65536);
    CHECK(a.preferredShmemCarveout == 100);
    CHECK(cudaFuncGetAttributes(&a, templated<3>) == cudaSuccess);
    CHECK(a.maxDynamicSharedSizeBytes == 48 * 1024);
    CHECK(cudaFuncSetAttribute(simple, cudaFuncAttributePreferredSharedMemoryCarveout, 101) ==
          cudaErrorInvalidValue);
    CHECK(cudaFuncGetAttributes(&a, static_cast<void (*)()>(nullptr)) ==
          cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
    const char* name = nullptr;
    CHECK(cudaFuncGetName(&name, reinterpret_cast<const void*>(simple)) == cudaSuccess);
    CHECK(std::string(name) == "simple");
    CHECK(cudaDeviceReset() == cudaSuccess);
  }

  TEST_CASE("occupancy") {
    int blocks = 0;
    const auto active = [&blocks](int threads, std::size_t shared_bytes) {
      CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, simple, threads, shared_bytes) ==
            cudaSuccess);
      return blocks;
    };
    CHECK(active(1024, 0) == 2);
    CHECK(active(1000, 0) == 2);
    CHECK(active(512, 0) == 4);
    CHECK(active(256, 0) == 8);
    CHECK(active(257, 0) == 7);
    CHECK(active(1, 0) == attribute(cudaDevAttrMaxBlocksPerMultiprocessor));
    CHECK(active(128, 100 * 1024) == 2);
    CHECK(active(128, 227 * 1024) == 1);
    CHECK(active(128, 228 * 1024) == 0);
    CHECK(active(1025, 0) == 0);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, simple, 0, 0) ==
          cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);

    const int processors = attribute(cudaDevAttrMultiProcessorCount);
    int grid = 0;
    int block = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, templated<1>) == cudaSuccess);
    CHECK(block == 1024);
    CHECK(grid == 2 * processors);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, simple, 0, 700) == cudaSuccess);
    CHECK(block == 512);  // four of them fill an SM; three of 672 would leave a gap
    CHECK(grid == 4 * processors);
    // 256 bytes per thread: a block of 928 or more leaves no room for a second one.
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, simple, [](int threads) {
            return std::size_t{256} * threads;
          }) == cudaSuccess);
    CHECK(active(block, std::size_t{256} * block) * block >= 896);
    CHECK(grid == blocks * processors);

    std::size_t bytes = 0;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, reinterpret_cast<const void*>(simple),
                                                    2, 1024) == cudaSuccess);
    CHECK(active(1024, bytes) == 2);
    CHECK(active(1024, bytes + 1024) == 1);
  }

  TEST_CASE("errors have the names and texts of CUDA 13.0") {
    int known = 0;
    for (int code = 0; code < 1000; ++code) {
      const std::string name = cudaGetErrorName(static_cast<cudaError_t>(code));
      known += name != "unrecognized error code";
    }
    CHECK(known == 133);
    CHECK(std::string(cudaGetErrorName(static_cast<cudaError_t>(708))) ==
          "cudaErrorSetOnActiveProcess");
    CHECK(std::string(cudaGetErrorString(cudaErrorECCUncorrectable)) ==
          "uncorrectable ECC error encountered");
  }

  TEST_CASE("the profiler can be started and stopped") {
    CHECK(cudaProfilerStart() == cudaSuccess);
    CHECK(cudaProfilerStop() == cudaSuccess);
  }
}

// meson.build runs this one with CUDA_VISIBLE_DEVICES empty.
TEST_CASE("without a device every call says so" * doctest::skip(!kDeviceIsHidden)) {
  int count = -1;
  CHECK(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
  CHECK(count == 0);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 4) == cudaErrorNoDevice);
  CHECK(cudaSetDevice(0) == cudaErrorNoDevice);
  simple<<<1, 1>>>(nullptr);
  CHECK(cudaGetLastError() == cudaErrorNoDevice);
  CHECK(cudaDeviceReset() == cudaErrorNoDevice);
  CHECK(cudaDeviceSynchronize() == cudaErrorNoDevice);
}
