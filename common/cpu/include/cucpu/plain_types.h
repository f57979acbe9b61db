// Types whose values are numbers and pointers all the way down: nothing that a program does with
// one calls a function. Kernels may run as plain loops over a block's threads
// (lower/whole_blocks.h) if they use no others.
#pragma once

#include <type_traits>

#include "cucpu/dim3.h"

namespace cucpu {

// CUDA's own classes whose constructors and operators neither wait nor read threadIdx.
template <class T>
inline constexpr bool kIsPlainClass = std::is_same_v<T, dim3>;

// Without constructors, initializers of members, destructors, bases with any, and references.
template <class T>
inline constexpr bool kIsAggregate = std::is_aggregate_v<T>&& std::is_trivially_copyable_v<T>&&
    std::is_trivially_default_constructible_v<T>;

// `has_hidden_calls`: the program has operators and the like, so no class of its own is plain.
template <bool has_hidden_calls, class T>
constexpr bool is_plain() {
  if constexpr (std::is_volatile_v<T>)
    return false;
  else if constexpr (std::is_const_v<T>)
    return is_plain<has_hidden_calls, std::remove_const_t<T>>();
  else if constexpr (std::is_pointer_v<T>)
    return is_plain<has_hidden_calls, std::remove_pointer_t<T>>();
  else if constexpr (std::is_array_v<T>)
    return is_plain<has_hidden_calls, std::remove_extent_t<T>>();
  else if constexpr ((std::is_class_v<T> || std::is_union_v<T>)&&requires { sizeof(T); })
    return kIsPlainClass<T> || (!has_hidden_calls && kIsAggregate<T>);
  else
    return std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_void_v<T>;
}
template <bool has_hidden_calls, class... Ts>
constexpr bool are_plain() {
  return (is_plain<has_hidden_calls, Ts>() && ...);
}

template <class... Ts>
constexpr bool are_scalar() {
  return (std::is_scalar_v<std::remove_cv_t<Ts>> && ...);
}

}  // namespace cucpu
