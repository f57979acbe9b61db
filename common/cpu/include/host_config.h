// NVIDIA's header of this name checks the compiler. Here any C++20 compiler will do.
#pragma once

#include "cuda_runtime.h"
