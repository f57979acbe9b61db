// The atomic functions.
#pragma once

#include "cucpu/device/atomics.h"
