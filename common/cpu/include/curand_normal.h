// Normal numbers, in the header that programs include.
#pragma once

#include "curand_kernel.h"
