// make_TYPE(), in the header that programs include.
#pragma once

#include "vector_functions.h"
