// Function and variable qualifiers, which all are in one header here.
#pragma once

#include "cuda_runtime.h"
