// Functions of the C library, which all are in one header here.
#pragma once

#include "cuda_runtime.h"
