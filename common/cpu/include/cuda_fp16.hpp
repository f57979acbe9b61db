// The part of cuda_fp16.h that programs name by itself.
#pragma once

#include "cuda_fp16.h"
