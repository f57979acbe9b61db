// What compilers NVIDIA's headers know; any does here, which all are in one header here.
#pragma once

#include "cuda_runtime.h"
