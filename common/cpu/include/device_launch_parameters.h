// threadIdx, blockIdx, blockDim, gridDim and warpSize.
#pragma once

#include "cucpu/execution.h"
