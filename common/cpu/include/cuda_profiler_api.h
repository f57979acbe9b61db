// cudaProfilerStart and cudaProfilerStop.
#pragma once

#include "cuda_runtime_api.h"
