// threadIdx, blockIdx, blockDim, gridDim and warpSize.
#pragma once

#define __DEVICE_LAUNCH_PARAMETERS_H__  // NVIDIA's include guard, which programs ask for

#include "cucpu/execution.h"
