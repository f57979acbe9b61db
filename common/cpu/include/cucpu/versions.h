// Asks the lowering for versions of kernels for AVX2 (common/cpu/lower/versions.h).
#pragma once

#include <type_traits>

namespace cucpu {

#if defined(__x86_64__) && !defined(__AVX2__)
// The lowering looks for this name.
constexpr bool kHasVersions = true;

// Whether this processor and its operating system have it.
inline bool has_avx2() { return __builtin_cpu_supports("avx2"); }
#endif

// How a kernel hands a parameter of its own on to the version. An object is not copied.
template <class Param>
using PassedOn = std::conditional_t<std::is_scalar_v<Param>, Param, Param&>;
// To one that does not change it.
template <class Param>
using PassedOnConstant = std::conditional_t<std::is_scalar_v<Param>, const Param, const Param&>;

}  // namespace cucpu
