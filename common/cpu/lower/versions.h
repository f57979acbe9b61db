// Kernels in two versions: one for all processors, as the rest of the program, and one for those
// with AVX2. Each thread runs the one that suits the processor.
//
// Without AVX2 a vector register holds four floats, and there are sixteen of them: the tile of
// 8 x 8 sums that a thread of a matrix product keeps does not fit. With AVX2 it takes half of them.
//
// Both give the same bits: they differ in the width of vectors alone. AVX2 has no fused
// multiply-add, which would round otherwise; that is another feature, FMA.
//
// The versions are functions of their own inside the kernel. The compiler's own means,
// `target_clones`, makes of the kernel's name what the linker resolves, and then its address in
// data is another one than in code.
#pragma once

#include <string>
#include <string_view>

#include "code.h"
#include "declaration.h"

namespace cucpu::lower {

// Whether a thread has arrays of its own. That is what one thread alone can use vectors for; for
// other kernels a second version is but a longer way to begin.
bool keeps_arrays(const Code& code, const Kernel& kernel);

// Whether cucpu/versions.h, which the text includes, asks for versions.
bool asks_for_versions(std::string_view preprocessed);

// Whether the kernel's body would mean another thing in a function of its own inside the kernel, or
// could not stand there.
bool differs_in_function(const Code& code, const Kernel& kernel);

// A function for AVX2 that consists of the statements `body`, which run to the kernel's end, and
// its call. Both belong before statements for other processors. `is_constant`: the body may not
// change the parameters.
std::string call_for_avx2(const Code& code, const Kernel& kernel, const std::string& body,
                          bool is_constant);
// The same for all processors; the parameters are constants.
std::string call_of_function(const Code& code, const Kernel& kernel, const std::string& body);

}  // namespace cucpu::lower
