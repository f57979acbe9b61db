// The few names of the driver API that programs for the runtime API meet.
#pragma once

#include <cstdint>

#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION

typedef std::uintptr_t CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st* CUcontext;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
