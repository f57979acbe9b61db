// One memory access a kernel, in one block: what it costs is what a profiler says about the kernel.
//
//   probes [PART...]     PART: global, shared, random, async, atomic (default: all)
//
// Runs every probe once, in a fixed order, and prints a line of JSON for each; that is all that can
// be said of its launch from inside. On a GPU ncu has the counts, on the CPU CUCPU_JSON; probes.py
// puts the two together. No compiler can merge the one access with another, or leave it out.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "patterns.h"

namespace {

using calibration::chosen;
using calibration::joined;
using calibration::kElements;
using calibration::kIdle;
using calibration::kLanes;
using calibration::Pattern;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// --- kernels -------------------------------------------------------------------------------------

struct Places {
  int element[kLanes];
  int warp_step;
};
// In constant memory, so that looking up a lane's place is no access that is counted.
__constant__ Places places;

// The element of the calling thread, or kIdle.
__device__ int my_element() {
  const int element = places.element[threadIdx.x % kLanes];
  const int warp = static_cast<int>(threadIdx.x / kLanes);
  return element == kIdle ? kIdle : element + warp * places.warp_step;
}

// All that was loaded has a part in this, so all of it has to be loaded.
template <class T>
__device__ unsigned mixed(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<unsigned>(value);
  } else if constexpr (sizeof(T) == 8) {
    return value.x ^ value.y;
  } else {
    return value.x ^ value.y ^ value.z ^ value.w;
  }
}

template <class T>
__device__ T some_value() {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(threadIdx.x);
  } else if constexpr (sizeof(T) == 8) {
    return T{threadIdx.x, 1};
  } else {
    return T{threadIdx.x, 1, 2, 3};
  }
}

// A value that memory never holds. A program that found it would have to say so, so the compiler
// cannot drop the load.
constexpr unsigned kNever = 0x5ca1ab1e;

template <class T>
__global__ void load_global(const T* from, unsigned never, int* found) {
  const int element = my_element();
  if (element == kIdle) return;
  const T value = from[element];
  if (mixed(value) == never) *found = 1;
}

template <class T>
__global__ void load_global_readonly(const T* from, unsigned never, int* found) {
  const int element = my_element();
  if (element == kIdle) return;
  if (mixed(__ldg(&from[element])) == never) *found = 1;
}

template <class T>
__global__ void store_global(T* to) {
  const int element = my_element();
  if (element != kIdle) to[element] = some_value<T>();
}

extern __shared__ uint4 shared_memory[];

template <class T>
__global__ void load_shared(unsigned never, int* found) {
  const int element = my_element();
  if (element == kIdle) return;
  const T value = reinterpret_cast<const T*>(shared_memory)[element];
  if (mixed(value) == never) *found = 1;
}

template <class T>
__global__ void store_shared() {
  const int element = my_element();
  if (element != kIdle) reinterpret_cast<T*>(shared_memory)[element] = some_value<T>();
}

// From the pattern's element in global memory to the lane's own in shared memory, or the other way
// round.
template <class T>
__device__ void copy_async(const T* from, int source, int destination) {
  __pipeline_memcpy_async(reinterpret_cast<T*>(shared_memory) + destination, from + source,
                          sizeof(T));
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

template <class T>
__global__ void gather_async(const T* from) {
  const int element = my_element();
  if (element != kIdle) copy_async(from, element, static_cast<int>(threadIdx.x));
}

template <class T>
__global__ void scatter_async(const T* from) {
  const int element = my_element();
  if (element != kIdle) copy_async(from, static_cast<int>(threadIdx.x), element);
}

// Atomic operations. `value` differs from lane to lane, or is known to the compiler to be one.
struct Add {
  template <class T>
  __device__ static T apply(T* at, T value) {
    return atomicAdd(at, value);
  }
};
struct AddOne {
  template <class T>
  __device__ static T apply(T* at, T) {
    return atomicAdd(at, T{1});
  }
};
struct Max {
  template <class T>
  __device__ static T apply(T* at, T value) {
    return atomicMax(at, value);
  }
};
struct Exchange {
  template <class T>
  __device__ static T apply(T* at, T value) {
    return atomicExch(at, value);
  }
};
struct CompareAndSwap {
  template <class T>
  __device__ static T apply(T* at, T value) {
    return atomicCAS(at, T{0}, value);
  }
};

template <class T>
__device__ T lane_value() {
  return static_cast<T>(threadIdx.x + 1);
}

// With the result not used. To add 1 there is a cheaper instruction then, if it is a statement.
template <class Operation, class T>
__device__ void apply(T* at) {
  if constexpr (std::is_same_v<Operation, AddOne>) {
    atomicAdd(at, T{1});
  } else {
    Operation::apply(at, lane_value<T>());
  }
}

template <class Operation, class T>
__global__ void atomic_global(T* to) {
  const int element = my_element();
  if (element != kIdle) apply<Operation>(&to[element]);
}

// The result is used: the GPU has another instruction for that.
template <class Operation, class T>
__global__ void atomic_global_result(T* to, T never, int* found) {
  const int element = my_element();
  if (element == kIdle) return;
  if (Operation::apply(&to[element], lane_value<T>()) == never) *found = 1;
}

template <class Operation, class T>
__global__ void atomic_shared() {
  const int element = my_element();
  if (element != kIdle) apply<Operation>(reinterpret_cast<T*>(shared_memory) + element);
}

template <class Operation, class T>
__global__ void atomic_shared_result(T never, int* found) {
  const int element = my_element();
  if (element == kIdle) return;
  T* const at = reinterpret_cast<T*>(shared_memory) + element;
  if (Operation::apply(at, lane_value<T>()) == never) *found = 1;
}

// The compiler knows that all threads have one address.
template <class Operation, class T>
__global__ void atomic_global_one_address(T* to) {
  apply<Operation>(to);
}

template <class Operation, class T>
__global__ void atomic_shared_one_address() {
  apply<Operation>(reinterpret_cast<T*>(shared_memory));
}

// --- launches ------------------------------------------------------------------------------------

constexpr std::size_t kBytes = kElements * sizeof(uint4);

class Probes {
 public:
  Probes() {
    check(cudaMalloc(&memory_, kBytes), "cudaMalloc");
    check(cudaMalloc(&found_, sizeof(int)), "cudaMalloc");
    check(cudaMemset(memory_, 0, kBytes), "cudaMemset");
  }
  ~Probes() {
    cudaFree(memory_);
    cudaFree(found_);
  }
  Probes(const Probes&) = delete;
  Probes& operator=(const Probes&) = delete;

  template <class T>
  void global(const std::vector<Pattern>& patterns) {
    for (const Pattern& p : patterns) {
      run("global", "load", sizeof(T), p,
          [&](int threads) { load_global<<<1, threads>>>(memory<T>(), kNever, found_); });
      run("global", "store", sizeof(T), p,
          [&](int threads) { store_global<<<1, threads>>>(memory<T>()); });
    }
  }

  template <class T>
  void readonly(const std::vector<Pattern>& patterns) {
    for (const Pattern& p : patterns)
      run("global", "load_readonly", sizeof(T), p,
          [&](int threads) { load_global_readonly<<<1, threads>>>(memory<T>(), kNever, found_); });
  }

  template <class T>
  void shared(const std::vector<Pattern>& patterns) {
    for (const Pattern& p : patterns) {
      run("shared", "load", sizeof(T), p,
          [&](int threads) { load_shared<T><<<1, threads, kBytes>>>(kNever, found_); });
      run("shared", "store", sizeof(T), p,
          [&](int threads) { store_shared<T><<<1, threads, kBytes>>>(); });
    }
  }

  template <class T>
  void async(const std::vector<Pattern>& patterns) {
    for (const Pattern& p : patterns) {
      run("async", "gather", sizeof(T), p,
          [&](int threads) { gather_async<<<1, threads, kBytes>>>(memory<T>()); });
      run("async", "scatter", sizeof(T), p,
          [&](int threads) { scatter_async<<<1, threads, kBytes>>>(memory<T>()); });
    }
  }

  template <class Operation, class T>
  void atomic(const std::string& name, const std::vector<Pattern>& patterns) {
    for (const Pattern& p : patterns) {
      run("global", name, sizeof(T), p,
          [&](int threads) { atomic_global<Operation><<<1, threads>>>(memory<T>()); });
      run("global", name + "_result", sizeof(T), p, [&](int threads) {
        atomic_global_result<Operation>
            <<<1, threads>>>(memory<T>(), static_cast<T>(kNever), found_);
      });
      run("shared", name, sizeof(T), p,
          [&](int threads) { atomic_shared<Operation, T><<<1, threads, kBytes>>>(); });
      run("shared", name + "_result", sizeof(T), p, [&](int threads) {
        atomic_shared_result<Operation><<<1, threads, kBytes>>>(static_cast<T>(kNever), found_);
      });
    }
  }

  template <class Operation, class T>
  void one_address(const std::string& name) {
    const Pattern p = calibration::pattern("one_address", [](int) { return 0; });
    run("global", name, sizeof(T), p,
        [&](int threads) { atomic_global_one_address<Operation><<<1, threads>>>(memory<T>()); });
    run("shared", name, sizeof(T), p,
        [&](int threads) { atomic_shared_one_address<Operation, T><<<1, threads, kBytes>>>(); });
  }

 private:
  template <class T>
  T* memory() const {
    return static_cast<T*>(memory_);
  }

  template <class Launch>
  void run(const char* space, const std::string& kind, std::size_t bytes, const Pattern& p,
           Launch launch) {
    Places chosen;
    for (int lane = 0; lane < kLanes; ++lane) chosen.element[lane] = p.element[lane];
    chosen.warp_step = p.warp_step;
    check(cudaMemcpyToSymbol(places, &chosen, sizeof chosen), "cudaMemcpyToSymbol");
    launch(p.threads);
    check(cudaGetLastError(), kind.c_str());
    check(cudaDeviceSynchronize(), kind.c_str());
    std::printf(
        "{\"space\": \"%s\", \"kind\": \"%s\", \"bytes\": %zu, \"pattern\": \"%s\", "
        "\"threads\": %d}\n",
        space, kind.c_str(), bytes, p.name.c_str(), p.threads);
  }

  void* memory_ = nullptr;
  int* found_ = nullptr;
};

// Enough for what is counted as something else is.
std::vector<Pattern> few() {
  return chosen(joined(calibration::full_warps(), calibration::partial_warps()),
                {"consecutive", "shifted_1", "stride_2", "stride_32", "broadcast", "groups_of_2",
                 "first_9", "even_lanes"});
}

std::vector<Pattern> regular() {
  return joined(joined(calibration::full_warps(), calibration::partial_warps()),
                calibration::several_warps());
}

void run_global() {
  Probes probes;
  probes.global<unsigned char>(few());
  probes.global<unsigned short>(few());
  probes.global<unsigned>(regular());
  probes.global<uint2>(regular());
  probes.global<uint4>(regular());
  probes.readonly<unsigned>(few());
  probes.readonly<uint4>(few());
}

void run_shared() {
  Probes probes;
  probes.shared<unsigned char>(few());
  probes.shared<unsigned short>(few());
  probes.shared<unsigned>(regular());
  probes.shared<uint2>(regular());
  probes.shared<uint4>(regular());
}

void run_random() {
  Probes probes;
  probes.shared<unsigned>(calibration::random_warps());
  probes.shared<uint2>(calibration::random_warps());
  probes.shared<uint4>(calibration::random_warps());
}

void run_async() {
  Probes probes;
  const std::vector<Pattern> patterns =
      chosen(regular(), {"consecutive", "shifted_1", "reversed", "stride_2", "stride_8",
                         "stride_32", "broadcast", "groups_of_2", "groups_of_4", "period_8",
                         "patch_4x8", "patch_8x4", "swizzled", "first_9", "even_lanes"});
  probes.async<unsigned>(patterns);
  probes.async<uint2>(patterns);
  probes.async<uint4>(patterns);
}

void run_atomic() {
  Probes probes;
  probes.atomic<Add, int>("add_int", calibration::meetings());
  probes.atomic<Add, float>("add_float", calibration::meetings());
  const std::vector<Pattern> few_meet =
      chosen(calibration::full_warps(), {"consecutive", "stride_32", "groups_of_2", "broadcast"});
  probes.atomic<Add, unsigned long long>("add_long", few_meet);
  probes.atomic<Add, double>("add_double", few_meet);
  probes.atomic<AddOne, int>("add_one", few_meet);
  probes.atomic<Max, int>("max_int", few_meet);
  probes.atomic<Max, unsigned long long>("max_long", few_meet);
  probes.atomic<Exchange, int>("exchange_int", few_meet);
  probes.atomic<Exchange, unsigned long long>("exchange_long", few_meet);
  probes.atomic<CompareAndSwap, int>("cas_int", few_meet);
  probes.atomic<CompareAndSwap, unsigned long long>("cas_long", few_meet);
  probes.one_address<Add, int>("add_int");
  probes.one_address<AddOne, int>("add_one");
  probes.one_address<Max, int>("max_int");
  probes.one_address<Add, float>("add_float");
}

}  // namespace

int main(int argc, char** argv) {
  struct Part {
    std::string_view name;
    void (*run)();
  };
  constexpr Part kParts[] = {{"global", run_global},
                             {"shared", run_shared},
                             {"random", run_random},
                             {"async", run_async},
                             {"atomic", run_atomic}};
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  for (const Part& part : kParts) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted |= part.name == argv[i];
    if (wanted) part.run();
  }
}
