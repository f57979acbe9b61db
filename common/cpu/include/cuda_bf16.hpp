// The part of cuda_bf16.h that programs name by itself.
#pragma once

#include "cuda_bf16.h"
