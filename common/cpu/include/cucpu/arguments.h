// The arguments of a launch on their way to the kernel. A GPU gets their bits, whatever their
// class: the host copies an argument into a parameter, and destroys that once the launch has been
// asked for; on the device, neither constructors nor destructors of parameters run.
#pragma once

#include <cstring>
#include <tuple>
#include <type_traits>

namespace cucpu {

// Whether a function gets an argument of this class as the address of an object that its caller
// makes and destroys. So says the C++ ABI for classes whose copies or whose end are not trivial.
template <class T>
constexpr bool kPassedByAddress =
    std::is_class_v<T> &&
    (!std::is_trivially_destructible_v<T> ||
     (std::is_copy_constructible_v<T> && !std::is_trivially_copy_constructible_v<T>) ||
     (std::is_move_constructible_v<T> && !std::is_trivially_move_constructible_v<T>));

// The form in which a launcher hands an argument on. Objects are not copied once more. Pointers
// are: a reference could not be bound to a parameter with __restrict__.
template <class Param>
using HandedOn = std::conditional_t<std::is_scalar_v<Param>, Param, const Param&>;

// The bytes of such an object, which are all that the device gets.
template <class T>
struct Bits {
  explicit Bits(const T& object) {
    std::memcpy(bytes, &reinterpret_cast<const char&>(object), sizeof(T));
  }
  alignas(T) unsigned char bytes[sizeof(T)];
};

// The form in which a launch keeps the argument for a parameter of this type.
template <class Param>
using Kept = std::conditional_t<
    std::is_reference_v<Param>, Param,
    std::conditional_t<kPassedByAddress<Param>, Bits<Param>, std::remove_cv_t<Param>>>;

template <class T>
T& as_argument(T& kept) {
  return kept;
}
template <class T>
T& as_argument(Bits<T>& kept) {
  return *reinterpret_cast<T*>(kept.bytes);
}

template <class T>
constexpr bool kHasBits = false;
template <class T>
constexpr bool kHasBits<Bits<T>> = true;
template <class... Keeps>
constexpr bool kHasBits<std::tuple<Keeps...>> = (kHasBits<Keeps> || ...);

// One thread's call of a kernel that gets objects by address: each thread has its own.
template <class Body, class Arguments>
void call_with_own(const Body& body, Arguments arguments) {
  std::apply([&](auto&... kept) { body(as_argument(kept)...); }, arguments);
}

// Calls a kernel whose parameters are passed by address with the objects themselves, not copies.
template <class... Params>
class CallByAddress {
 public:
  explicit CallByAddress(void (*kernel)(Params...)) : kernel_(kernel) {}

  void operator()(Params&... arguments) const {
    const void* address = reinterpret_cast<const void*>(kernel_);
    asm("" : "+r"(address));  // hides from the compiler that the function's type is another one
    reinterpret_cast<void (*)(Passed<Params>...)>(const_cast<void*>(address))(arguments...);
  }

 private:
  template <class Param>
  using Passed = std::conditional_t<kPassedByAddress<Param>, Param&, Param>;

  void (*kernel_)(Params...);
};

template <class... Params>
constexpr bool kAnyByAddress = (kPassedByAddress<Params> || ...);

// A callable for a kernel of which nothing but the address is known.
template <class... Params>
auto calling(void (*kernel)(Params...)) {
  if constexpr (kAnyByAddress<Params...>)
    return CallByAddress<Params...>(kernel);
  else
    return [kernel](auto&... arguments) { kernel(arguments...); };
}

// `call` calls the kernel by its name, which the compiler can inline.
template <class Call, class... Params>
auto calling(Call call, void (*kernel)(Params...)) {
  if constexpr (kAnyByAddress<Params...>)
    return CallByAddress<Params...>(kernel);
  else
    return call;
}

}  // namespace cucpu
