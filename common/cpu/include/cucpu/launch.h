// How `kernel<<<grid, block, shared, stream>>>(args...)` runs, once lowered.h has made of it a
// body, an address and arguments.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cucpu/arguments.h"
#include "cucpu/execution.h"
#include "cucpu/fiber.h"

struct CUstream_st;

namespace cucpu {

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  CUstream_st* stream;
  bool cooperative = false;

  LaunchConfig(dim3 grid_, dim3 block_, std::size_t shared_bytes_ = 0,
               CUstream_st* stream_ = nullptr)
      : grid(grid_), block(block_), shared_bytes(shared_bytes_), stream(stream_) {}

  // `is_function` tells whether the name before <<<>>> means what the lowering takes it for.
  template <class IsFunction>
  const LaunchConfig& of(IsFunction is_function) const {
    static_assert(decltype(is_function){}(0),
                  "a variable has the name of a kernel: give it another to launch it");
    return *this;
  }
};

// A kernel with its arguments, ready to run on any worker. `run` runs CUDA threads one after the
// other, on whichever fiber calls it, for as long as next_thread() has one.
struct Task {
  const char* name;
  const void* address;  // of the __global__ function; null where it cannot be named (overloads)
  void (*run)(const void* closure);
  const void* closure;  // on the heap: the launch outlives the call that asks for it
  std::size_t closure_bytes;
  void (*destroy)(const void* closure);
  bool traced;  // compiled to report what it does
};

// Has the grid run when its stream's turn comes, and the closure destroyed after that. A
// configuration that CUDA would refuse becomes the last error.
void launch_grid(const LaunchConfig& config, const Task& task);

// Ends the current CUDA thread. True: another thread of the same launch is set up and is to run
// now, on this fiber. False: the fiber has been given to another launch.
bool next_thread_slow();
#ifdef CUCPU_TRACED
constexpr bool kTraced = true;
// Nothing of one thread's may be mixed up with the next one's.
[[gnu::always_inline]] inline bool next_thread() { return next_thread_slow(); }
#else
constexpr bool kTraced = false;
[[gnu::always_inline]] inline bool next_thread() {
  // A kernel that never waits never leaves this path: a block is a plain loop over its threads.
  const Turns& t = turns;
  const Pace gate = gate_of_now();
  if (gate == Pace::plain) [[likely]] {
    if (++threadIdx.x != blockDim.x) [[likely]]
      return true;
    threadIdx.x = 0;
    if (++threadIdx.y != blockDim.y) return true;
    threadIdx.y = 0;
    if (++threadIdx.z != blockDim.z) return true;
  }
  if (gate == Pace::leaving && t.current != t.last) return leave_inlined(t.current);
  return next_thread_slow();
}
#endif

template <class Body, class Arguments>
#ifdef CUCPU_TRACED
[[gnu::noinline]]  // a constant threadIdx is that of one thread
#else
[[gnu::always_inline]]
#endif
inline void
run_thread(const Body& body, const Arguments& arguments) {
  if constexpr (kHasBits<Arguments>)
    call_with_own(body, arguments);
  else
    std::apply(body, arguments);
}

#ifdef CUCPU_TRACED
template <class Body, class Arguments>
void run_row(const Body& body, const Arguments& arguments) {
  run_thread(body, arguments);
}
#else
// The rest of a row of the block, along x, as long as nobody waits. The index is kept in a
// register: to count it up in memory would take longer than a small kernel. It is stored for each
// thread none the less: a tick may come at any instruction (runtime/preemption.h).
template <class Body, class Arguments>
[[gnu::always_inline]] inline void run_row(const Body& body, const Arguments& arguments) {
  const unsigned last = blockDim.x - 1;
  for (unsigned x = threadIdx.x;; threadIdx.x = ++x) {
    asm volatile("" : : "m"(threadIdx.x));
    run_thread(body, arguments);
    if (gate_of_now() != Pace::plain || x == last) return;
  }
}
#endif

// A kernel with parameters of these types, which its arguments have been converted to.
template <class... Params>
struct Launch {
  template <class Body>
  static void run(const LaunchConfig& config, const char* name, Body body, const void* address,
                  const Params&... args) {
    // Arguments are copied once, as a launch does; every fiber then works on a copy of its own,
    // which the optimizer can keep in registers. A reference stays one, to managed memory.
    using Arguments = std::tuple<Kept<Params>...>;
    struct Closure {
      Body body;
      Arguments arguments;
    };
    const auto* const closure = new Closure{body, Arguments(Kept<Params>(args)...)};
    const auto run = [](const void* erased) {
      Closure local = *static_cast<const Closure*>(erased);
      do {
        run_row(local.body, local.arguments);
      } while (next_thread());
    };
    const auto destroy = [](const void* erased) { delete static_cast<const Closure*>(erased); };
    launch_grid(config, {name, address, run, closure, sizeof(Closure), destroy, kTraced});
  }
};

// Makes a kernel known by its address, for cudaLaunchKernel and its kin, which get nothing else.
// A block of it may have `max_threads`.
class KernelRegistration {
 public:
  template <class... Params>
  KernelRegistration(void (*kernel)(Params...), const char* name,
                     unsigned max_threads = kMaxBlockThreads) {
    add(reinterpret_cast<const void*>(kernel), name, max_threads, &launch_erased<Params...>);
  }

 private:
  using LaunchErased = void (*)(const LaunchConfig&, const char*, const void*, void**);
  static void add(const void* address, const char* name, unsigned max_threads,
                  LaunchErased launch_erased);

  template <class Param>
  static const Param& argument(void* value) {
    if constexpr (std::is_reference_v<Param>)
      return **static_cast<std::remove_reference_t<Param>**>(value);
    else
      return *static_cast<Param*>(value);
  }
  template <class... Params, std::size_t... I>
  static void unpack(const LaunchConfig& config, const char* name, const void* address, void** args,
                     std::index_sequence<I...>) {
    const auto kernel = reinterpret_cast<void (*)(Params...)>(const_cast<void*>(address));
    Launch<Params...>::run(config, name, calling(kernel), address, argument<Params>(args[I])...);
  }
  template <class... Params>
  static void launch_erased(const LaunchConfig& config, const char* name, const void* address,
                            void** args) {
    unpack<Params...>(config, name, address, args, std::index_sequence_for<Params...>());
  }
};

// Launches a registered kernel; false if there is none at that address. `args` points at one
// value for each parameter, as for cudaLaunchKernel.
bool launch_registered(const LaunchConfig& config, const void* address, void** args);
// The plain name of a registered kernel, or null.
const char* registered_name(const void* address);
// Threads that a block of the kernel may have, whose address may be null.
unsigned max_threads_of(const void* address);

}  // namespace cucpu
