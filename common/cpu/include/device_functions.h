// Everything that device code may call without including anything.
#pragma once

#define __DEVICE_FUNCTIONS_H__  // NVIDIA's include guard, which programs ask for

#include "cucpu/device/address_spaces.h"
#include "cucpu/device/atomics.h"
#include "cucpu/device/bits.h"
#include "cucpu/device/cache_hints.h"
#include "cucpu/device/conversions.h"
#include "cucpu/device/diagnostics.h"
#include "cucpu/device/mathematics.h"
#include "cucpu/device/minimum_maximum.h"
#include "cucpu/device/min_max.h"
#include "cucpu/device/rounding.h"
#include "cucpu/device/simd.h"
#include "cucpu/device/special_functions.h"
#include "cucpu/device/synchronization.h"
#include "cucpu/device/timing.h"
#include "cucpu/device/warp.h"
