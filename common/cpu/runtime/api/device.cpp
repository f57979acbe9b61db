// The one device: this machine's processor, with the limits of compute capability 9.0.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>

#include "allocations.h"
#include "call.h"
#include "cuda_runtime_api.h"
#include "device_heap.h"
#include "device_limits.h"
#include "stream_order.h"

namespace cucpu {
namespace {

// The first line of a file that begins with `key`, without the key, blanks and colon before its
// value; empty if there is none.
std::string value_of(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t value = line.find_first_not_of(" \t:", key.size());
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return {};
}

int clock_kilohertz() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (int kilohertz = 0; file >> kilohertz) return kilohertz;
  const std::string megahertz = value_of("/proc/cpuinfo", "cpu MHz");
  return static_cast<int>(std::strtod(megahertz.c_str(), nullptr) * 1000);
}

// The largest cache of the processor plays the part of the cache that all blocks share.
int last_cache_bytes() {
  for (const int level : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (const long bytes = sysconf(level); bytes > 0) return static_cast<int>(bytes);
  return 0;
}

cudaDeviceProp describe_device() {
  cudaDeviceProp p{};
  const std::string model = value_of("/proc/cpuinfo", "model name");
  std::snprintf(p.name, sizeof p.name, "CPU (%s)", model.empty() ? "unknown" : model.c_str());
  std::memcpy(p.uuid.bytes, "CUDA on the CPU", sizeof p.uuid.bytes);
  p.totalGlobalMem = host_memory().total;
  p.sharedMemPerBlock = kDefaultSharedBytes;
  p.regsPerBlock = 65536;
  p.warpSize = kWarpLanes;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = kMaxThreadsPerBlock;
  p.maxThreadsDim[0] = 1024;
  p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = 65535;
  p.maxGridSize[2] = 65535;
  p.clockRate = clock_kilohertz();
  p.deviceOverlap = 1;
  p.totalConstMem = 65536;
  p.major = 9;
  p.minor = 0;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.surfaceAlignment = 512;
  p.multiProcessorCount = multiprocessor_count();
  p.integrated = 1;
  p.canMapHostMemory = 1;
  p.computeMode = cudaComputeModeDefault;
  p.unifiedAddressing = 1;
  p.concurrentKernels = 1;
  p.asyncEngineCount = 1;
  p.l2CacheSize = last_cache_bytes();
  p.maxThreadsPerMultiProcessor = kMaxThreadsPerMultiprocessor;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = kSharedBytesPerMultiprocessor;
  p.regsPerMultiprocessor = 65536;
  p.managedMemory = 1;
  p.hostNativeAtomicSupported = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.concurrentManagedAccess = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = kMaxSharedBytes;
  p.directManagedMemAccessFromHost = 1;
  p.maxBlocksPerMultiProcessor = kMaxBlocksPerMultiprocessor;
  p.reservedSharedMemPerBlock = kReservedSharedBytes;
  p.hostRegisterSupported = 1;
  p.hostRegisterReadOnlySupported = 1;
  p.memoryPoolsSupported = 1;
  return p;
}

const cudaDeviceProp& properties() {
  static const cudaDeviceProp p = describe_device();
  return p;
}

struct Attribute {
  cudaDeviceAttr attribute;
  int (*value)(const cudaDeviceProp&);
};
template <auto kMember>
constexpr int (*of)(const cudaDeviceProp&) =
    [](const cudaDeviceProp& p) { return static_cast<int>(p.*kMember); };
template <auto kMember, int kIndex>
constexpr int (*of_each)(const cudaDeviceProp&) =
    [](const cudaDeviceProp& p) { return (p.*kMember)[kIndex]; };

using Prop = cudaDeviceProp;
// The properties that are also attributes.
constexpr Attribute kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, of<&Prop::maxThreadsPerBlock>},
    {cudaDevAttrMaxBlockDimX, of_each<&Prop::maxThreadsDim, 0>},
    {cudaDevAttrMaxBlockDimY, of_each<&Prop::maxThreadsDim, 1>},
    {cudaDevAttrMaxBlockDimZ, of_each<&Prop::maxThreadsDim, 2>},
    {cudaDevAttrMaxGridDimX, of_each<&Prop::maxGridSize, 0>},
    {cudaDevAttrMaxGridDimY, of_each<&Prop::maxGridSize, 1>},
    {cudaDevAttrMaxGridDimZ, of_each<&Prop::maxGridSize, 2>},
    {cudaDevAttrMaxSharedMemoryPerBlock, of<&Prop::sharedMemPerBlock>},
    {cudaDevAttrTotalConstantMemory, of<&Prop::totalConstMem>},
    {cudaDevAttrWarpSize, of<&Prop::warpSize>},
    {cudaDevAttrMaxPitch, of<&Prop::memPitch>},
    {cudaDevAttrMaxRegistersPerBlock, of<&Prop::regsPerBlock>},
    {cudaDevAttrClockRate, of<&Prop::clockRate>},
    {cudaDevAttrTextureAlignment, of<&Prop::textureAlignment>},
    {cudaDevAttrTexturePitchAlignment, of<&Prop::texturePitchAlignment>},
    {cudaDevAttrSurfaceAlignment, of<&Prop::surfaceAlignment>},
    {cudaDevAttrGpuOverlap, of<&Prop::deviceOverlap>},
    {cudaDevAttrMultiProcessorCount, of<&Prop::multiProcessorCount>},
    {cudaDevAttrKernelExecTimeout, of<&Prop::kernelExecTimeoutEnabled>},
    {cudaDevAttrIntegrated, of<&Prop::integrated>},
    {cudaDevAttrCanMapHostMemory, of<&Prop::canMapHostMemory>},
    {cudaDevAttrComputeMode, of<&Prop::computeMode>},
    {cudaDevAttrConcurrentKernels, of<&Prop::concurrentKernels>},
    {cudaDevAttrEccEnabled, of<&Prop::ECCEnabled>},
    {cudaDevAttrPciBusId, of<&Prop::pciBusID>},
    {cudaDevAttrPciDeviceId, of<&Prop::pciDeviceID>},
    {cudaDevAttrTccDriver, of<&Prop::tccDriver>},
    {cudaDevAttrMemoryClockRate, of<&Prop::memoryClockRate>},
    {cudaDevAttrGlobalMemoryBusWidth, of<&Prop::memoryBusWidth>},
    {cudaDevAttrL2CacheSize, of<&Prop::l2CacheSize>},
    {cudaDevAttrMaxThreadsPerMultiProcessor, of<&Prop::maxThreadsPerMultiProcessor>},
    {cudaDevAttrAsyncEngineCount, of<&Prop::asyncEngineCount>},
    {cudaDevAttrUnifiedAddressing, of<&Prop::unifiedAddressing>},
    {cudaDevAttrPciDomainId, of<&Prop::pciDomainID>},
    {cudaDevAttrComputeCapabilityMajor, of<&Prop::major>},
    {cudaDevAttrComputeCapabilityMinor, of<&Prop::minor>},
    {cudaDevAttrStreamPrioritiesSupported, of<&Prop::streamPrioritiesSupported>},
    {cudaDevAttrGlobalL1CacheSupported, of<&Prop::globalL1CacheSupported>},
    {cudaDevAttrLocalL1CacheSupported, of<&Prop::localL1CacheSupported>},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, of<&Prop::sharedMemPerMultiprocessor>},
    {cudaDevAttrMaxRegistersPerMultiprocessor, of<&Prop::regsPerMultiprocessor>},
    {cudaDevAttrManagedMemory, of<&Prop::managedMemory>},
    {cudaDevAttrIsMultiGpuBoard, of<&Prop::isMultiGpuBoard>},
    {cudaDevAttrMultiGpuBoardGroupID, of<&Prop::multiGpuBoardGroupID>},
    {cudaDevAttrHostNativeAtomicSupported, of<&Prop::hostNativeAtomicSupported>},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, of<&Prop::singleToDoublePrecisionPerfRatio>},
    {cudaDevAttrPageableMemoryAccess, of<&Prop::pageableMemoryAccess>},
    {cudaDevAttrConcurrentManagedAccess, of<&Prop::concurrentManagedAccess>},
    {cudaDevAttrComputePreemptionSupported, of<&Prop::computePreemptionSupported>},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, of<&Prop::canUseHostPointerForRegisteredMem>},
    {cudaDevAttrCooperativeLaunch, of<&Prop::cooperativeLaunch>},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, of<&Prop::sharedMemPerBlockOptin>},
    {cudaDevAttrHostRegisterSupported, of<&Prop::hostRegisterSupported>},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables,
     of<&Prop::pageableMemoryAccessUsesHostPageTables>},
    {cudaDevAttrDirectManagedMemAccessFromHost, of<&Prop::directManagedMemAccessFromHost>},
    {cudaDevAttrMaxBlocksPerMultiprocessor, of<&Prop::maxBlocksPerMultiProcessor>},
    {cudaDevAttrMaxPersistingL2CacheSize, of<&Prop::persistingL2CacheMaxSize>},
    {cudaDevAttrMaxAccessPolicyWindowSize, of<&Prop::accessPolicyMaxWindowSize>},
    {cudaDevAttrReservedSharedMemoryPerBlock, of<&Prop::reservedSharedMemPerBlock>},
    {cudaDevAttrMemoryPoolsSupported, of<&Prop::memoryPoolsSupported>},
    {cudaDevAttrHostRegisterReadOnlySupported, of<&Prop::hostRegisterReadOnlySupported>},
    {cudaDevAttrNumaId, [](const Prop&) { return -1; }},  // there is no such node
    {cudaDevAttrHostNumaId, [](const Prop&) { return -1; }},
};

// Those of textures, surfaces, and whatever else the device lacks: 0.
constexpr cudaDeviceAttr kLacking[] = {
    cudaDevAttrMaxTexture1DWidth,
    cudaDevAttrMaxTexture2DWidth,
    cudaDevAttrMaxTexture2DHeight,
    cudaDevAttrMaxTexture3DWidth,
    cudaDevAttrMaxTexture3DHeight,
    cudaDevAttrMaxTexture3DDepth,
    cudaDevAttrMaxTexture2DLayeredWidth,
    cudaDevAttrMaxTexture2DLayeredHeight,
    cudaDevAttrMaxTexture2DLayeredLayers,
    cudaDevAttrMaxTexture1DLayeredWidth,
    cudaDevAttrMaxTexture1DLayeredLayers,
    cudaDevAttrMaxTexture2DGatherWidth,
    cudaDevAttrMaxTexture2DGatherHeight,
    cudaDevAttrMaxTexture3DWidthAlt,
    cudaDevAttrMaxTexture3DHeightAlt,
    cudaDevAttrMaxTexture3DDepthAlt,
    cudaDevAttrMaxTextureCubemapWidth,
    cudaDevAttrMaxTextureCubemapLayeredWidth,
    cudaDevAttrMaxTextureCubemapLayeredLayers,
    cudaDevAttrMaxSurface1DWidth,
    cudaDevAttrMaxSurface2DWidth,
    cudaDevAttrMaxSurface2DHeight,
    cudaDevAttrMaxSurface3DWidth,
    cudaDevAttrMaxSurface3DHeight,
    cudaDevAttrMaxSurface3DDepth,
    cudaDevAttrMaxSurface1DLayeredWidth,
    cudaDevAttrMaxSurface1DLayeredLayers,
    cudaDevAttrMaxSurface2DLayeredWidth,
    cudaDevAttrMaxSurface2DLayeredHeight,
    cudaDevAttrMaxSurface2DLayeredLayers,
    cudaDevAttrMaxSurfaceCubemapWidth,
    cudaDevAttrMaxSurfaceCubemapLayeredWidth,
    cudaDevAttrMaxSurfaceCubemapLayeredLayers,
    cudaDevAttrMaxTexture1DLinearWidth,
    cudaDevAttrMaxTexture2DLinearWidth,
    cudaDevAttrMaxTexture2DLinearHeight,
    cudaDevAttrMaxTexture2DLinearPitch,
    cudaDevAttrMaxTexture2DMipmappedWidth,
    cudaDevAttrMaxTexture2DMipmappedHeight,
    cudaDevAttrMaxTexture1DMipmappedWidth,
    cudaDevAttrCooperativeMultiDeviceLaunch,
    cudaDevAttrCanFlushRemoteWrites,
    cudaDevAttrSparseCudaArraySupported,
    cudaDevAttrTimelineSemaphoreInteropSupported,
    cudaDevAttrGPUDirectRDMASupported,
    cudaDevAttrGPUDirectRDMAFlushWritesOptions,
    cudaDevAttrGPUDirectRDMAWritesOrdering,
    cudaDevAttrMemoryPoolSupportedHandleTypes,
    cudaDevAttrClusterLaunch,
    cudaDevAttrDeferredMappingCudaArraySupported,
    cudaDevAttrIpcEventSupport,
    cudaDevAttrMemSyncDomainCount,
    cudaDevAttrNumaConfig,
    cudaDevAttrMpsEnabled,
};

// The attribute's value; false for a number that stands for none.
bool attribute_value(cudaDeviceAttr attribute, int& value) {
  const auto known = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                  [&](const Attribute& a) { return a.attribute == attribute; });
  if (known != std::end(kAttributes)) {
    value = known->value(properties());
    return true;
  }
  value = 0;
  return std::find(std::begin(kLacking), std::end(kLacking), attribute) != std::end(kLacking);
}

// The settings that the program may make and read back. Those that have an effect, the sizes of
// stacks and of the heap, are kept where they have it.
struct DeviceSettings {
  std::mutex mutex;
  std::size_t printf_bytes = 1 << 20;
  std::size_t fetch_bytes = 64;
  std::size_t persisting_bytes = 0;
  cudaFuncCache cache = cudaFuncCachePreferNone;
  unsigned flags = cudaDeviceScheduleAuto;
};
DeviceSettings& device_settings() {
  static DeviceSettings& s = *new DeviceSettings;
  return s;
}

// The limit's place in the settings; null if it is kept elsewhere or not at all.
std::size_t* stored_limit(cudaLimit limit) {
  if (limit == cudaLimitPrintfFifoSize) return &device_settings().printf_bytes;
  if (limit == cudaLimitMaxL2FetchGranularity) return &device_settings().fetch_bytes;
  if (limit == cudaLimitPersistingL2CacheSize) return &device_settings().persisting_bytes;
  return nullptr;
}

// The size of a CUDA thread's stack before anybody asks for another one.
const std::size_t kInitialStackBytes = thread_stack_bytes();

}  // namespace

std::size_t printf_buffer_bytes() {
  const std::lock_guard lock(device_settings().mutex);
  return device_settings().printf_bytes;
}

void reset_limits() {
  DeviceSettings& s = device_settings();
  const std::lock_guard lock(s.mutex);
  s.printf_bytes = 1 << 20;
  s.fetch_bytes = 64;
  s.persisting_bytes = 0;
  s.cache = cudaFuncCachePreferNone;
  s.flags = cudaDeviceScheduleAuto;
  set_thread_stack_bytes(kInitialStackBytes);
}

}  // namespace cucpu

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return cucpu::record_error(cudaErrorInvalidValue);
  const bool hidden = cucpu::sticky_error() == cudaErrorNoDevice;
  *count = hidden ? 0 : 1;
  return cucpu::record_error(hidden ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
  return cucpu::api_call([=] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return cucpu::api_call([=] { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return cucpu::api_call([=] {
    if (device == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned /*device_flags*/, unsigned /*flags*/) {
  return cucpu::api_call([=] { return cudaSetDevice(device); });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return cucpu::api_call([=] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *properties = cucpu::properties();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return cucpu::api_call([=] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    return cucpu::invalid_unless(cucpu::attribute_value(attribute, *value));
  });
}

cudaError_t cudaDeviceSynchronize() {
  return cucpu::api_call([] {
    cucpu::wait_for_all();
    return cucpu::sticky_error();
  });
}

cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }

cudaError_t cudaDeviceReset() {
  if (cucpu::sticky_error() == cudaErrorNoDevice) return cudaErrorNoDevice;
  cucpu::wait_for_all();
  cucpu::clear_sticky_error();
  cucpu::release_all();
  cucpu::reset_pools();
  cucpu::destroy_streams();
  cucpu::destroy_events();
  cucpu::reset_kernel_attributes();
  cucpu::reset_limits();
  cucpu::reset_device_heap();
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return cucpu::api_call([=] {
    constexpr unsigned kKnown =
        cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax;
    if ((flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    const std::lock_guard lock(cucpu::device_settings().mutex);
    cucpu::device_settings().flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return cucpu::api_call([=] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(cucpu::device_settings().mutex);
    *flags = cucpu::device_settings().flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return cucpu::api_call([=] {
    if (value == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(cucpu::device_settings().mutex);
    if (limit == cudaLimitStackSize) {
      *value = cucpu::thread_stack_bytes();
    } else if (limit == cudaLimitMallocHeapSize) {
      *value = cucpu::device_heap_bytes();
    } else if (const std::size_t* stored = cucpu::stored_limit(limit)) {
      *value = *stored;
    } else {
      return cudaErrorUnsupportedLimit;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return cucpu::api_call([=] {
    cucpu::wait_for_all();
    const std::lock_guard lock(cucpu::device_settings().mutex);
    if (limit == cudaLimitStackSize) {
      // A request for less than there is anyway is granted, as the device rounds up too.
      constexpr std::size_t kMaxStackBytes = std::size_t{64} << 20;
      if (value > kMaxStackBytes) return cudaErrorInvalidValue;
      cucpu::set_thread_stack_bytes(std::max(value, cucpu::kInitialStackBytes));
    } else if (limit == cudaLimitMallocHeapSize) {
      if (!cucpu::set_device_heap_bytes(value)) return cudaErrorInvalidValue;
    } else if (std::size_t* stored = cucpu::stored_limit(limit)) {
      *stored = value;
    } else {
      return cudaErrorUnsupportedLimit;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return cucpu::api_call([=] {
    if (config == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(cucpu::device_settings().mutex);
    *config = cucpu::device_settings().cache;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return cucpu::api_call([=] {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
      return cudaErrorInvalidValue;
    const std::lock_guard lock(cucpu::device_settings().mutex);
    cucpu::device_settings().cache = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return cucpu::api_call([=] {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

// Since long the banks of all devices are four bytes wide, whatever is asked for.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return cucpu::api_call([=] {
    return cucpu::invalid_unless(config >= cudaSharedMemBankSizeDefault &&
                                 config <= cudaSharedMemBankSizeEightByte);
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return cucpu::api_call([=] {
    if (id == nullptr || length < 1) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    std::snprintf(id, static_cast<std::size_t>(length), "0000:00:00.0");
    return cudaSuccess;
  });
}

// There is no second device to be a peer.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return cucpu::api_call([=] {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (device != 0 || peer != 0) return cudaErrorInvalidDevice;
    *can = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/) {
  return cucpu::api_call([] { return cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceDisablePeerAccess(int /*peer*/) {
  return cucpu::api_call([] { return cudaErrorInvalidDevice; });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return cucpu::api_call([=] { return cudaRuntimeGetVersion(version); });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return cucpu::record_error(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaProfilerStart() {
  return cucpu::api_call([] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
  return cucpu::api_call([] { return cudaSuccess; });
}
