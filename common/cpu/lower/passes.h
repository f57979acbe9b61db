// `__CUDA_ARCH__` is defined in device code only. nvcc preprocesses a file once for the host and
// once for the device, and compiles two programs. Here one program is made of both texts: code for
// the device from the one, code for the host from the other, and a function for both has both
// bodies where they differ, of which it takes the one for where it runs.
#pragma once

#include <string>
#include <string_view>

namespace cucpu::lower {

// Whether any file that went into this preprocessed text mentions the macro, so that a text for the
// device could differ.
bool may_differ_on_device(std::string_view preprocessed);

// Throws an Error where the texts cannot become one: where both declare the same type or variable,
// each in its own way.
std::string merge_passes(std::string_view host, std::string_view device);

}  // namespace cucpu::lower
