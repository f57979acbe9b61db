// malloc, new and free of kernels: their heap has a size, and freed memory can be had again.
#include "case.h"

constexpr int kHeapBytes = 16 << 20;  // that main() asks for
constexpr int kMebibyte = 1 << 20;

// A list of as many allocations as there are until one fails; their number.
__device__ int fill(int bytes, void** list) {
  int count = 0;
  while (void** const memory = static_cast<void**>(malloc(bytes))) {
    *memory = *list;
    *list = memory;
    ++count;
  }
  return count;
}
__device__ void release(void* list) {
  while (list != nullptr) {
    void* const next = *static_cast<void**>(list);
    free(list);
    list = next;
  }
}

// An allocation larger than the heap gives null, and throws nothing.
__global__ void too_large(int* out, int*) {
  out[0] = malloc(2 * kHeapBytes) == nullptr;
  out[1] = new char[2 * kHeapBytes] == nullptr;
  free(nullptr);
  delete static_cast<int*>(nullptr);
}

// A GPU needs some of the heap for itself; how much is not promised. It cannot give more than there
// is, and half of it is there. Once all is freed, there is as much as the first time.
__global__ void full_heap(int* out, int*) {
  void* list = nullptr;
  const int first = fill(kMebibyte, &list);
  out[0] = first >= 8 && first <= 16;
  out[1] = malloc(kMebibyte) == nullptr;
  release(list);
  list = nullptr;
  out[2] = fill(kMebibyte, &list) == first;
  release(list);
}

// Much more than the heap holds, one after the other.
__global__ void again_and_again(int* out, int*) {
  int sum = 0;
  for (int i = 0; i < 1000; ++i) {
    int* const memory = new int[65536];
    if (memory == nullptr) break;
    memory[i] = i;
    sum += memory[i];
    delete[] memory;
  }
  out[0] = sum;
}

// One kernel allocates; another one reads and frees that.
__device__ int* kept[64];
__global__ void keep(int* out, int*) {
  kept[threadIdx.x] = static_cast<int*>(malloc(sizeof(int)));
  *kept[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = kept[threadIdx.x] != nullptr;
}
__global__ void take(int* out, int*) {
  const unsigned other = blockDim.x - 1 - threadIdx.x;
  out[threadIdx.x] = *kept[other];
  free(kept[other]);
}

// Allocations outside of functions' bodies: in initializers and default arguments.
struct Box {
  int* value = new int(5);
  int* more;
  int count;
  __device__ explicit Box(int n) : more(new int[n]), count(n) {}
  __device__ ~Box() {
    delete value;
    delete[] more;
  }
  __device__ void grow() {
    int* const larger = new int[2 * count];
    for (int i = 0; i < count; ++i) larger[i] = more[i];
    delete[] more;
    more = larger;
    count *= 2;
  }
};
__device__ int take_value(int* value = new int(3)) {
  const int taken = *value;
  delete value;
  return taken;
}
// 5 + 3 + 0 + ... + 9.
__global__ void initializers(int* out, int*) {
  Box box(1);
  for (int i = 0; i < 10; ++i) {
    if (i >= box.count) box.grow();
    box.more[i] = i;
  }
  int sum = *box.value + take_value();
  for (int i = 0; i < 10; ++i) sum += box.more[i];
  out[threadIdx.x] = sum;
}

int main() {
  must(cudaDeviceSetLimit(cudaLimitMallocHeapSize, kHeapBytes), "cudaDeviceSetLimit");
  const auto one = [](int) { return 1; };
  run_case("too_large", too_large, 1, 1, 2, one);
  run_case("full_heap", full_heap, 1, 1, 3, one);
  run_case("again_and_again", again_and_again, 1, 1, 1, [](int) { return 499500; });
  run_case("keep", keep, 1, 64, 64, one);
  run_case("initializers", initializers, 1, 64, 64, [](int) { return 53; });
  run_case("take", take, 1, 64, 64, [](int i) { return 63 - i; });
  return result();
}
