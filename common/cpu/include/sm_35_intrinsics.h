// Device functions, which all are in one header here.
#pragma once

#include "cuda_runtime.h"
