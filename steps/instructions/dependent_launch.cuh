// Programmatic dependent launch: a kernel may start before the one ahead of it in the stream has
// ended, and waits for it by itself. PTX ISA: "griddepcontrol"; CUDA Runtime API, "Execution
// Control": cudaLaunchKernelEx. From sm_90 on; elsewhere a launch waits as it always does.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Until the kernel ahead has ended, and what it wrote can be read.
__device__ inline void wait_for_kernel_ahead() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(__CUCPU__)
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The kernel behind may start when all blocks have come here or ended.
__device__ inline void let_next_kernel_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(__CUCPU__)
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// kernel<<<blocks, threads, shared_bytes, stream>>>(arguments...) which may start early.
template <class... Parameters, class... Arguments>
void launch_dependent(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                      std::size_t shared_bytes, cudaStream_t stream, Arguments... arguments) {
#ifdef __CUCPU__
  kernel<<<blocks, threads, shared_bytes, stream>>>(arguments...);
#else
  // Code compiled for an older GPU may run on this one, but does not wait by itself.
  cudaFuncAttributes attributes = {};
  cudaFuncGetAttributes(&attributes, kernel);
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = attributes.ptxVersion >= 90 ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
#endif
}
