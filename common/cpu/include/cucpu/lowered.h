// The names that lowered code uses (common/cpu/lower): launches, instances of kernel templates.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "cucpu/device_heap.h"
#include "cucpu/device_variable.h"
#include "cucpu/execution.h"
#include "cucpu/launch.h"
#include "cucpu/plain_types.h"
#include "cucpu/versions.h"

// Programs exchange values through volatile shared memory; nvcc says nothing to that, either.
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wdeprecated-volatile"
#else
#pragma GCC diagnostic ignored "-Wvolatile"
#endif
// Older templates compute with enumerations. nvcc's C++17 allows it; here, programs are C++20.
#pragma GCC diagnostic ignored "-Wdeprecated-enum-enum-conversion"

namespace cucpu {

#ifdef CUCPU_TRACED
inline namespace traced {
void note_early_exit();
}
// Each `return;` of device code calls it: the thread leaves before the end.
constexpr void leave_early() {
  if (!std::is_constant_evaluated()) note_early_exit();
}
#endif

// Which of its two bodies a function for host and device takes.
constexpr bool takes_device_code() { return !std::is_constant_evaluated() && in_kernel(); }

// The folder in which the program was compiled, where the relative names of its sources begin.
struct CompiledIn {
  explicit CompiledIn(const char* folder);
};
#ifdef CUCPU_COMPILED_IN
static const CompiledIn compiled_in(CUCPU_COMPILED_IN);
#endif

// `kernel<<<grid, block>>>`, to be called with the kernel's arguments. `Call` calls the kernel; it
// is a type of its own for each launch, which lets the compiler inline the kernel.
template <class Call>
class KernelCall {
 public:
  KernelCall(const LaunchConfig& config, const char* name, Call call)
      : config_(config), name_(name), call_(call) {}

  // Only the arguments choose the kernel, out of several of its name.
  template <class... Args>
  requires std::is_invocable_v < const Call&, std::decay_t<Args>
  &... > void operator()(Args&&... arguments) const {
    launch(std::decay_t<Args>(std::forward<Args>(arguments))...);
  }

 private:
  template <class... Params>
  void launch(Params... arguments) const {
    Launch<Params...>::run(config_, name_, call_, nullptr, arguments...);
  }

  LaunchConfig config_;
  const char* name_;
  Call call_;
};

// The same for a kernel whose address is known, and with it the types that arguments convert to.
template <class Call, class... Params>
class TypedKernelCall {
 public:
  TypedKernelCall(const LaunchConfig& config, const char* name, Call call,
                  void (*kernel)(Params...))
      : config_(config), name_(name), call_(call), kernel_(kernel) {}

  void operator()(Params... arguments) const {
    Launch<Params...>::run(config_, name_, calling(call_, kernel_),
                           reinterpret_cast<const void*>(kernel_), arguments...);
  }

 private:
  LaunchConfig config_;
  const char* name_;
  Call call_;
  void (*kernel_)(Params...);
};

template <class Call>
auto kernel_call(const LaunchConfig& config, const char* name, Call call, std::nullptr_t) {
  return KernelCall<Call>(config, name, call);
}
template <class Call, class... Params>
auto kernel_call(const LaunchConfig& config, const char* name, Call call,
                 void (*kernel)(Params...)) {
  return TypedKernelCall<Call, Params...>(config, name, call, kernel);
}
template <class... Params>
auto kernel_call(const LaunchConfig& config, const char* name, void (*kernel)(Params...)) {
  return TypedKernelCall<void (*)(Params...), Params...>(config, name, kernel, kernel);
}

#ifdef CUCPU_TRACED
// The C library's functions, which report what they access. The empty asm prevents a tail call,
// which would hide the caller's line from the report.
void reported_memcpy(void* to, const void* from, std::size_t bytes);
void reported_memmove(void* to, const void* from, std::size_t bytes);
void reported_memset(void* to, int value, std::size_t bytes);
[[gnu::always_inline]] inline void* traced_memcpy(void* to, const void* from, std::size_t bytes) {
  reported_memcpy(to, from, bytes);
  asm volatile("");
  return to;
}
[[gnu::always_inline]] inline void* traced_memmove(void* to, const void* from, std::size_t bytes) {
  reported_memmove(to, from, bytes);
  asm volatile("");
  return to;
}
[[gnu::always_inline]] inline void* traced_memset(void* to, int value, std::size_t bytes) {
  reported_memset(to, value, bytes);
  asm volatile("");
  return to;
}
#endif

// The lowering wraps the result of a call in this where an assignment stores it.
template <class T>
[[gnu::always_inline]] constexpr T&& as_value(T&& value) noexcept {
  return static_cast<T&&>(value);
}

// A kernel that only a variable of the host knows, of which the launch has a copy: kernels do not
// look at the host's memory.
template <class... Params>
struct KernelVariable {
  void (*kernel)(Params...);
};
template <class Call, class... Params>
auto kernel_call(const LaunchConfig& config, const char* name, Call,
                 KernelVariable<Params...> variable) {
  return kernel_call(config, name, variable.kernel);
}

// The kernel of that name. A name that stands for several functions does not match. The first
// parameter only makes the call dependent, so that a mismatch can be asked about.
template <class... Params>
auto kernel_pointer(int, void (&kernel)(Params...)) {
  return &kernel;
}
template <class... Params>
auto kernel_variable(void (*kernel)(Params...)) {
  return KernelVariable<Params...>{kernel};
}
template <class Pointer>
requires std::is_pointer_v<Pointer>
auto kernel_pointer(int, const Pointer& kernel) { return kernel_variable(kernel); }

// Takes names of variables, and none of functions. The first parameter is as above.
template <class T>
requires(!std::is_function_v<std::remove_reference_t<T>>) void a_variable(int, T&& name);

// Launchers end by calling this. The lowering declares a launcher for each kernel it sees declared.
template <class Call, class... Params>
void launch_kernel(const LaunchConfig& config, const char* name, Call call,
                   void (*kernel)(Params...), HandedOn<Params>... arguments) {
  Launch<Params...>::run(config, name, calling(call, kernel), reinterpret_cast<const void*>(kernel),
                         arguments...);
}

// A string as a template argument.
template <std::size_t size>
struct KernelName {
  char text[size];
  constexpr KernelName(const char (&name)[size]) {
    for (std::size_t i = 0; i < size; ++i) text[i] = name[i];
  }
};

// The threads that `__launch_bounds__(max_threads, ...)` allows.
constexpr unsigned launch_bound(unsigned max_threads, ...) { return max_threads; }

// Makes an instance of a kernel template known before main().
template <KernelName name, auto kernel, unsigned max_threads = kMaxBlockThreads>
inline const KernelRegistration kernel_instance(kernel, name.text, max_threads);

}  // namespace cucpu
