#include "unsupported.h"

#include <utility>

namespace cucpu::lower {
namespace {

constexpr std::string_view kTextures = "textures and surfaces";
constexpr std::string_view kArrays = "CUDA arrays, which textures are made of";
constexpr std::string_view kGraphs = "CUDA graphs";
constexpr std::string_view kClusters = "thread block clusters and what launches them";
constexpr std::string_view kDevices = "launches on several devices";
constexpr std::string_view kDriver = "driver API";
constexpr std::string_view kProcesses = "memory shared between processes";
constexpr std::string_view kGraphics = "memory shared with other APIs";
constexpr std::string_view kTensorCores = "tensor cores";
constexpr std::string_view kBuiltins = "built-in functions of NVIDIA's compilers";
constexpr std::string_view kHalf = "floating point of 8 bits and less";
constexpr std::string_view kMixed = "cuBLAS calls whose matrices are of types of their own";
constexpr std::string_view kGenerators = "random generators but XORWOW and Philox";
constexpr std::string_view kWithoutSync = "warp functions without _sync; nor has nvcc since sm_70";
constexpr std::string_view kCompilation = "compilation at run time";
constexpr std::string_view kLibcu =
    "libcu++, except <cuda/atomic>, <cuda/barrier> and <cuda/pipeline>";

using Entry = std::pair<std::string_view, std::string_view>;

// Prefixes of names. The first that fits counts.
constexpr Entry kPrefixes[] = {
    {"tex1D", kTextures},
    {"tex2D", kTextures},
    {"tex3D", kTextures},
    {"texCubemap", kTextures},
    {"surf1D", kTextures},
    {"surf2D", kTextures},
    {"surf3D", kTextures},
    {"surfCubemap", kTextures},
    {"cudaTexture", kTextures},
    {"cudaSurface", kTextures},
    {"cudaCreateTextureObject", kTextures},
    {"cudaDestroyTextureObject", kTextures},
    {"cudaCreateSurfaceObject", kTextures},
    {"cudaDestroySurfaceObject", kTextures},
    {"cudaGetTexture", kTextures},
    {"cudaGetSurface", kTextures},
    {"cudaBindTexture", kTextures},
    {"cudaBindSurface", kTextures},
    {"cudaUnbindTexture", kTextures},
    {"cudaResourceDesc", kTextures},
    {"cudaResourceViewDesc", kTextures},
    {"cudaReadMode", kTextures},
    {"cudaFilterMode", kTextures},
    {"cudaAddressMode", kTextures},
    {"cudaArray", kArrays},
    {"cudaMallocArray", kArrays},
    {"cudaFreeArray", kArrays},
    {"cudaMipmappedArray", kArrays},
    {"cudaMallocMipmappedArray", kArrays},
    {"cudaFreeMipmappedArray", kArrays},
    {"cudaMalloc3DArray", kArrays},
    {"cudaMemcpyToArray", kArrays},
    {"cudaMemcpyFromArray", kArrays},
    {"cudaMemcpyArrayToArray", kArrays},
    {"cudaMemcpy2DToArray", kArrays},
    {"cudaMemcpy2DFromArray", kArrays},
    {"cudaMemcpy2DArrayToArray", kArrays},
    {"cudaChannelFormat", kArrays},
    {"cudaCreateChannelDesc", kArrays},
    {"cudaGetChannelDesc", kArrays},
    {"cudaGraphics", kGraphics},
    {"cudaGL", kGraphics},
    {"cudaImportExternal", kGraphics},
    {"cudaExternal", kGraphics},
    {"cudaGraph", kGraphs},
    {"cudaStreamBeginCapture", kGraphs},
    {"cudaStreamEndCapture", kGraphs},
    {"cudaStreamIsCapturing", kGraphs},
    {"cudaStreamGetCaptureInfo", kGraphs},
    {"cudaStreamCaptureMode", kGraphs},
    {"cudaLaunchKernelEx", kClusters},
    {"cudaLaunchConfig_t", kClusters},
    {"cudaLaunchAttribute", kClusters},
    {"cudaOccupancyMaxActiveClusters", kClusters},
    {"cudaOccupancyMaxPotentialClusterSize", kClusters},
    {"__cluster_", kClusters},
    {"cudaLaunchCooperativeKernelMultiDevice", kDevices},
    {"cudaIpc", kProcesses},
    {"cudaDeviceGraphMem", kGraphs},
    {"cudaUserObject", kGraphs},
    {"cudaLibrary", kDriver},
    {"cudaGetDriverEntryPoint", kDriver},
    {"cuCtx", kDriver},
    {"cuDevice", kDriver},
    {"cuDriver", kDriver},
    {"cuEvent", kDriver},
    {"cuFunc", kDriver},
    {"cuGetError", kDriver},
    {"cuGetProcAddress", kDriver},
    {"cuGraph", kDriver},
    {"cuInit", kDriver},
    {"cuLaunch", kDriver},
    {"cuLibrary", kDriver},
    {"cuLink", kDriver},
    {"cuMem", kDriver},
    {"cuModule", kDriver},
    {"cuOccupancy", kDriver},
    {"cuPointer", kDriver},
    {"cuProfiler", kDriver},
    {"cuStream", kDriver},
    {"cuTensorMap", kDriver},
    {"CUDA_ERROR_", kDriver},
    {"CUDA_SUCCESS", kDriver},
    {"CUfunction", kDriver},
    {"CUmodule", kDriver},
    {"CUresult", kDriver},
    {"CUtensorMap", kDriver},
    {"cudnn", "cuDNN"},
    {"cufft", "cuFFT"},
    {"curandCreateGenerator", "cuRAND on the host"},
    {"curandGenerate", "cuRAND on the host"},
    {"curandGenerator_t", "cuRAND on the host"},
    {"cusolver", "cuSOLVER"},
    {"cusparse", "cuSPARSE"},
    {"nccl", "NCCL"},
    {"nvrtc", kCompilation},
    {"nvtxRange", "NVTX"},
    {"nvtxMark", "NVTX"},
    {"__nv_cvt_", kHalf},
    {"__nv_fp4", kHalf},
    {"__nv_fp6", kHalf},
    {"__nv_fp8", kHalf},
    {"__nv_", kBuiltins},
    {"__nvvm_", kBuiltins},
};

// Whole names, those that begin as names of other things do.
constexpr Entry kNames[] = {
    {"textureReference", kTextures}, {"cluster_group", kClusters},  {"this_cluster", kClusters},
    {"multi_grid_group", kDevices},  {"this_multi_grid", kDevices}, {"nvcuda", kTensorCores},
    {"__shfl", kWithoutSync},        {"__shfl_up", kWithoutSync},   {"__shfl_down", kWithoutSync},
    {"__shfl_xor", kWithoutSync},    {"__all", kWithoutSync},       {"__any", kWithoutSync},
    {"__ballot", kWithoutSync},
};

// Names of namespaces.
constexpr Entry kNamespaces[] = {
    {"cub", "CUB"},
    {"cutlass", "CUTLASS"},
    {"thrust", "Thrust"},
};

// Beginnings of names that a header declares whose most common part there is.
constexpr Entry kMissingInHeaders[] = {
    {"cublasComputeType_t", kMixed},
    {"cublasDataType_t", kMixed},
    {"cublasGemmAlgo_t", kMixed},
    {"CUBLAS_COMPUTE_", kMixed},
    {"CUBLAS_GEMM_", kMixed},
    {"CUDA_R_", kMixed},
    {"CUDA_C_", kMixed},
    {"cudaDataType", kMixed},
    {"curandStateMRG32k3a", kGenerators},
    {"curandStateMtgp32", kGenerators},
    {"curandStateScrambledSobol", kGenerators},
    {"curandStateSobol", kGenerators},
    {"curandDirectionVectors", kGenerators},
    {"curandDiscreteDistribution", "random numbers of discrete distributions"},
};

// How the functions of a library's begin, before an upper-case letter or an underscore.
constexpr Entry kFunctions[] = {
    {"cuda", "the runtime API"},
    {"cublas", "cuBLAS"},
    {"curand", "cuRAND on the device"},
};

// Headers, folders of them, and, with a *, all headers whose names begin so.
constexpr Entry kHeaders[] = {
    {"cublas.h", "cuBLAS of the first version"},
    {"cublasLt.h", "cuBLASLt"},
    {"cublasXt.h", "cuBLASXt"},
    {"nvblas.h", "NVBLAS"},
    {"curand.h", "cuRAND on the host"},
    {"curand_mtgp32*", "cuRAND on the host"},
    {"cufft*", "cuFFT"},
    {"cusparse*", "cuSPARSE"},
    {"cusolver*", "cuSOLVER"},
    {"cudnn*", "cuDNN"},
    {"cutensor*", "cuTENSOR"},
    {"nccl*", "NCCL"},
    {"nvshmem*", "NVSHMEM"},
    {"npp*", "NPP"},
    {"nvjpeg*", "nvJPEG"},
    {"nvrtc.h", kCompilation},
    {"nvJitLink.h", kCompilation},
    {"nvvm.h", kCompilation},
    {"nvml.h", "NVML"},
    {"nvtx3/", "NVTX"},
    {"nvToolsExt*", "NVTX"},
    {"cupti*", "CUPTI"},
    {"nvperf*", "CUPTI"},
    {"thrust/", "Thrust"},
    {"cub/", "CUB"},
    {"cutlass/", "CUTLASS"},
    {"cute/", "CUTLASS"},
    {"cuda/std/", kLibcu},
    {"cuda/access_property", kLibcu},
    {"cuda/annotated_ptr", kLibcu},
    {"cuda/bit", kLibcu},
    {"cuda/cmath", kLibcu},
    {"cuda/functional", kLibcu},
    {"cuda/iterator", kLibcu},
    {"cuda/latch", kLibcu},
    {"cuda/memory", kLibcu},
    {"cuda/memory_resource", kLibcu},
    {"cuda/numeric", kLibcu},
    {"cuda/ptx", kLibcu},
    {"cuda/semaphore", kLibcu},
    {"cuda/stream", kLibcu},
    {"cuda/stream_ref", kLibcu},
    {"cuda_awbarrier*", "barriers of cuda_awbarrier.h; <cuda/barrier> has them"},
    {"cuda_fp8*", kHalf},
    {"cuda_fp6*", kHalf},
    {"cuda_fp4*", kHalf},
    {"mma.h", kTensorCores},
    {"texture_fetch_functions.h", kTextures},
    {"texture_indirect_functions.h", kTextures},
    {"texture_types.h", kTextures},
    {"surface_functions.h", kTextures},
    {"surface_indirect_functions.h", kTextures},
    {"surface_types.h", kTextures},
    {"cuda_texture_types.h", kTextures},
    {"cuda_surface_types.h", kTextures},
    {"cuda_gl_interop.h", kGraphics},
    {"cuda_egl_interop.h", kGraphics},
    {"cuda_vdpau_interop.h", kGraphics},
    {"cuda_d3d*", kGraphics},
    {"cudaGL*", kGraphics},
    {"cudaEGL*", kGraphics},
    {"cudaVDPAU*", kGraphics},
    {"cudaProfiler.h", kDriver},
    {"cudaTypedefs.h", kDriver},
    {"cuda_device_runtime_api.h", "launches from kernels (dynamic parallelism)"},
};

// Names that begin so are declared in a header that programs include.
constexpr Entry kDeclaredIn[] = {
    {"__nv_bfloat16", "cuda_bf16.h"},     {"__float2bfloat16", "cuda_bf16.h"},
    {"__bfloat16", "cuda_bf16.h"},        {"nv_bfloat16", "cuda_bf16.h"},
    {"__nv_half", "cuda_fp16.h"},         {"__half", "cuda_fp16.h"},
    {"__float2half", "cuda_fp16.h"},      {"curandState", "curand_kernel.h"},
    {"curand_init", "curand_kernel.h"},   {"curand_uniform", "curand_kernel.h"},
    {"curand_normal", "curand_kernel.h"}, {"cublas", "cublas_v2.h"},
    {"cuComplex", "cuComplex.h"},         {"cuFloatComplex", "cuComplex.h"},
    {"cuDoubleComplex", "cuComplex.h"},   {"cooperative_groups", "cooperative_groups.h"},
};
// Types whose names programs give to variables, too.
constexpr Entry kTypesDeclaredIn[] = {{"half", "cuda_fp16.h"}, {"half2", "cuda_fp16.h"}};

// The place of an entry of kHeaders in `file`; npos if it is not there.
std::size_t find_header(std::string_view file, std::string_view entry) {
  const bool is_beginning = entry.ends_with('*');
  if (is_beginning) entry.remove_suffix(1);
  for (std::size_t i = file.find(entry); i != file.npos; i = file.find(entry, i + 1)) {
    if (i != 0 && file[i - 1] != '/') continue;
    const std::string_view rest = file.substr(i + entry.size());
    if (is_beginning ? rest.find('/') == rest.npos : entry.ends_with('/') || rest.empty()) return i;
  }
  return file.npos;
}

}  // namespace

std::optional<std::string_view> header_of_type(std::string_view identifier) {
  for (const auto& [name, header] : kTypesDeclaredIn)
    if (identifier == name) return header;
  return std::nullopt;
}

std::optional<std::string_view> missing_namespace(std::string_view identifier) {
  for (const auto& [name, library] : kNamespaces)
    if (identifier == name) return library;
  return std::nullopt;
}

std::optional<std::string_view> header_of(std::string_view identifier) {
  for (const auto& [prefix, header] : kDeclaredIn)
    if (identifier.starts_with(prefix)) return header;
  return std::nullopt;
}

std::optional<std::string_view> missing_in_header(std::string_view identifier) {
  for (const auto& [prefix, feature] : kMissingInHeaders)
    if (identifier.starts_with(prefix)) return feature;
  return std::nullopt;
}

std::optional<std::string_view> library_of_function(std::string_view identifier) {
  for (const auto& [prefix, library] : kFunctions) {
    if (!identifier.starts_with(prefix) || identifier.size() == prefix.size()) continue;
    const char next = identifier[prefix.size()];
    if (next == '_' || (next >= 'A' && next <= 'Z')) return library;
  }
  return std::nullopt;
}

std::optional<std::string_view> missing_feature(std::string_view identifier) {
  for (const auto& [prefix, feature] : kPrefixes)
    if (identifier.starts_with(prefix)) return feature;
  for (const auto& [name, feature] : kNames)
    if (identifier == name) return feature;
  return std::nullopt;
}

std::optional<MissingHeader> missing_header(std::string_view file) {
  if (file.ends_with("cuda/std/atomic")) return std::nullopt;  // the one of its folder
  for (const auto& [entry, library] : kHeaders)
    if (const std::size_t i = find_header(file, entry); i != file.npos)
      return MissingHeader{file.substr(i), library};
  return std::nullopt;
}

std::string is_missing(std::string_view name, std::string_view feature) {
  return "'" + std::string(name) + "': cucpu has no " + std::string(feature);
}

}  // namespace cucpu::lower
