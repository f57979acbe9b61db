#include "unsupported.h"

#include <utility>

namespace cucpu::lower {
namespace {

constexpr std::string_view kTextures = "textures and surfaces";
constexpr std::string_view kArrays = "CUDA arrays, which textures are made of";
constexpr std::string_view kGraphs = "CUDA graphs";
constexpr std::string_view kClusters = "thread block clusters and what launches them";
constexpr std::string_view kDevices = "launches on several devices";
constexpr std::string_view kDriver = "modules and launches of the driver API";
constexpr std::string_view kProcesses = "memory shared between processes";
constexpr std::string_view kGraphics = "memory shared with other APIs";
constexpr std::string_view kTensorCores = "tensor cores";
constexpr std::string_view kBuiltins = "built-in functions of NVIDIA's compilers";
constexpr std::string_view kHalf = "floating point of 8 bits and less";
constexpr std::string_view kLibcu =
    "libcu++, except <cuda/atomic>, <cuda/barrier> and <cuda/pipeline>";

using Entry = std::pair<std::string_view, std::string_view>;

// Names that begin so. Of several that fit, the first counts.
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
    {"__nv_", kBuiltins},
    {"__nvvm_", kBuiltins},
};

// Whole names, those that begin as names of other things do.
constexpr Entry kNames[] = {
    {"textureReference", kTextures},
    {"cluster_group", kClusters},
    {"this_cluster", kClusters},
    {"multi_grid_group", kDevices},
    {"this_multi_grid", kDevices},
    {"nvcuda", kTensorCores},
    {"cuInit", kDriver},
    {"cuModuleLoad", kDriver},
    {"cuModuleLoadData", kDriver},
    {"cuModuleLoadDataEx", kDriver},
    {"cuModuleGetFunction", kDriver},
    {"cuLaunchKernel", kDriver},
    {"cuTensorMapEncodeTiled", kDriver},
};

// Headers, and folders of them.
constexpr Entry kHeaders[] = {
    {"cublas.h", "cuBLAS"},
    {"cublasLt.h", "cuBLAS"},
    {"cublasXt.h", "cuBLAS"},
    {"curand.h", "cuRAND"},
    {"cufft.h", "cuFFT"},
    {"cufftXt.h", "cuFFT"},
    {"cufftw.h", "cuFFT"},
    {"cusparse.h", "cuSPARSE"},
    {"cusparse_v2.h", "cuSPARSE"},
    {"cusolverDn.h", "cuSOLVER"},
    {"cusolverSp.h", "cuSOLVER"},
    {"cusolver_common.h", "cuSOLVER"},
    {"cudnn.h", "cuDNN"},
    {"nccl.h", "NCCL"},
    {"npp.h", "NPP"},
    {"nppi.h", "NPP"},
    {"nvrtc.h", "compilation at run time"},
    {"nvml.h", "NVML"},
    {"nvToolsExt.h", "NVTX"},
    {"nvtx3/", "NVTX"},
    {"cupti.h", "CUPTI"},
    {"thrust/", "Thrust"},
    {"cub/", "CUB"},
    {"cutlass/", "CUTLASS"},
    {"cute/", "CUTLASS"},
    {"cuda/std/", kLibcu},
    {"cuda/cmath", kLibcu},
    {"cuda/functional", kLibcu},
    {"cuda/latch", kLibcu},
    {"cuda/ptx", kLibcu},
    {"cuda/semaphore", kLibcu},
    {"cuda_fp8.h", kHalf},
    {"cuda_fp6.h", kHalf},
    {"cuda_fp4.h", kHalf},
    {"mma.h", kTensorCores},
    {"texture_fetch_functions.h", kTextures},
    {"texture_indirect_functions.h", kTextures},
    {"texture_types.h", kTextures},
    {"surface_functions.h", kTextures},
    {"surface_indirect_functions.h", kTextures},
    {"surface_types.h", kTextures},
    {"cuda_texture_types.h", kTextures},
    {"cuda_gl_interop.h", kGraphics},
    {"cuda_egl_interop.h", kGraphics},
    {"cuda_vdpau_interop.h", kGraphics},
};

// Names that begin so are declared in a header that programs include.
constexpr Entry kDeclaredIn[] = {
    {"__nv_bfloat16", "cuda_bf16.h"}, {"__float2bfloat16", "cuda_bf16.h"},
    {"__bfloat16", "cuda_bf16.h"},    {"__nv_half", "cuda_fp16.h"},
    {"__half", "cuda_fp16.h"},        {"__float2half", "cuda_fp16.h"},
};

bool stands_at(std::string_view file, std::size_t i, std::string_view entry) {
  const bool begins = i == 0 || file[i - 1] == '/';
  const bool ends = entry.ends_with('/') || i + entry.size() == file.size();
  return begins && ends;
}

}  // namespace

std::optional<std::string_view> header_of(std::string_view identifier) {
  for (const auto& [prefix, header] : kDeclaredIn)
    if (identifier.starts_with(prefix)) return header;
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
    for (std::size_t i = file.find(entry); i != std::string_view::npos; i = file.find(entry, i + 1))
      if (stands_at(file, i, entry)) return MissingHeader{file.substr(i), library};
  return std::nullopt;
}

std::string is_missing(std::string_view name, std::string_view feature) {
  return "'" + std::string(name) + "': cucpu has no " + std::string(feature);
}

}  // namespace cucpu::lower
