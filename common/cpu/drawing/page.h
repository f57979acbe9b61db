// A drawing as a page of HTML that needs no other file and no other host: with scripts, launch by
// launch and warp by warp; without, the costliest requests.
#pragma once

#include <string>

#include "drawing/model.h"

namespace cucpu::drawing {

std::string page(const Drawing& drawing);

}  // namespace cucpu::drawing
