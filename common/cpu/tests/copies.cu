// Copies, fills and symbols: what they do, and what they refuse.
#include <cstring>
#include <numeric>

#include "support.h"

namespace {

__constant__ float coefficients[4];
__device__ int counter = 5;
__device__ int table[3][2];

struct Settings {
  int a;
  double b;
};
__constant__ Settings settings;

__global__ void use_symbols(float* out) {
  out[0] = coefficients[0] + coefficients[3];
  out[1] = static_cast<float>(counter++);
  out[2] = static_cast<float>(settings.a + settings.b);
  table[2][1] = 77;
}

}  // namespace

TEST_CASE("copies go the way they say") {
  std::vector<int> from(100);
  std::iota(from.begin(), from.end(), 1);
  const test::DeviceArray<int> a(100, 0);
  const test::DeviceArray<int> b(100, 0);
  std::vector<int> to(100, 0);
  const std::size_t bytes = 100 * sizeof(int);
  CHECK(cudaMemcpy(a.get(), from.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpyAsync(b.get(), a.get(), bytes, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(to.data(), b.get(), bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(to == from);
  std::vector<int> again(100, 0);
  CHECK(cudaMemcpy(again.data(), to.data(), bytes, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(again == from);
  CHECK(cudaMemcpy(a.get(), again.data() + 1, 4, cudaMemcpyDefault) == cudaSuccess);
  CHECK(a.read()[0] == 2);
}

namespace {

// Both ends of a copy in one kind of memory.
struct Ends {
  const char* name;
  int* from;
  int* to;
  bool pageable;
};

__device__ int symbol[2];

bool is_of_device(cudaMemcpyKind kind, bool source) {
  return kind == cudaMemcpyDeviceToDevice ||
         kind == (source ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
}

}  // namespace

// As on an H200: only memory that is not registered must not be called the device's.
TEST_CASE("pointers say where memory is, whatever the kind of the copy") {
  const test::DeviceArray<int> device(2, 0);
  int pageable[2], *managed, *pinned, registered[2], *variable;
  REQUIRE(cudaMallocManaged(&managed, sizeof(int[2])) == cudaSuccess);
  REQUIRE(cudaMallocHost(&pinned, sizeof(int[2])) == cudaSuccess);
  REQUIRE(cudaHostRegister(registered, sizeof registered, 0) == cudaSuccess);
  REQUIRE(cudaGetSymbolAddress(reinterpret_cast<void**>(&variable), symbol) == cudaSuccess);
  const Ends memories[] = {{"device", device.get(), device.get() + 1, false},
                           {"managed", managed, managed + 1, false},
                           {"pinned", pinned, pinned + 1, false},
                           {"registered", registered, registered + 1, false},
                           {"symbol", variable, variable + 1, false},
                           {"pageable", pageable, pageable + 1, true}};
  int value = 0;
  for (const Ends& from : memories) {
    for (const Ends& to : memories) {
      for (const cudaMemcpyKind kind :
           {cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
            cudaMemcpyDeviceToDevice, cudaMemcpyDefault}) {
        CAPTURE(from.name);
        CAPTURE(to.name);
        CAPTURE(kind);
        const bool allowed = !(from.pageable && is_of_device(kind, true)) &&
                             !(to.pageable && is_of_device(kind, false));
        const cudaError_t expected = allowed ? cudaSuccess : cudaErrorInvalidValue;
        const auto check = [&](auto copy) {
          const int before = value, after = ++value;
          REQUIRE(cudaMemcpy(from.from, &after, sizeof after, cudaMemcpyDefault) == cudaSuccess);
          REQUIRE(cudaMemcpy(to.to, &before, sizeof before, cudaMemcpyDefault) == cudaSuccess);
          CHECK(copy() == expected);
          int read = -1;
          REQUIRE(cudaMemcpy(&read, to.to, sizeof read, cudaMemcpyDefault) == cudaSuccess);
          CHECK(read == (allowed ? after : before));
        };
        check([&] { return cudaMemcpy(to.to, from.from, sizeof(int), kind); });
        check([&] { return cudaMemcpyAsync(to.to, from.from, sizeof(int), kind); });
        check([&] { return cudaMemcpy2D(to.to, 4, from.from, 4, sizeof(int), 1, kind); });
      }
    }
  }
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(device.get(), &value, sizeof value, static_cast<cudaMemcpyKind>(7)) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
  CHECK(cudaHostUnregister(registered) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(cudaFree(managed) == cudaSuccess);
}

TEST_CASE("copies and fills that run past the end are refused whole") {
  const test::DeviceArray<int> small(10, 1);
  const test::DeviceArray<int> large(20, 2);
  std::vector<int> host(20, 3);
  const std::size_t too_many = 11 * sizeof(int);
  CHECK(cudaMemcpy(small.get(), host.data(), too_many, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host.data(), small.get(), too_many, cudaMemcpyDeviceToHost) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpy(large.get(), small.get() + 5, 6 * sizeof(int), cudaMemcpyDeviceToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemset(small.get(), 0, too_many) == cudaErrorInvalidValue);
  CHECK(cudaMemset(small.get() + 9, 0, 5) == cudaErrorInvalidValue);
  CHECK(cudaMemset(host.data(), 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(nullptr, host.data(), 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(small.get(), nullptr, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(small.get(), host.data(), SIZE_MAX, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(small.read() == std::vector<int>(10, 1));
  CHECK(large.read() == std::vector<int>(20, 2));
  CHECK(host == std::vector<int>(20, 3));
  // To the very end is fine, and so is nothing at all.
  CHECK(cudaMemcpy(small.get() + 5, host.data(), 5 * sizeof(int), cudaMemcpyHostToDevice) ==
        cudaSuccess);
  CHECK(cudaMemcpy(small.get() + 10, host.data(), 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToDevice) == cudaSuccess);
}

TEST_CASE("memory that has been freed is nobody's") {
  int* freed = nullptr;
  REQUIRE(cudaMalloc(&freed, 1 << 23) == cudaSuccess);
  REQUIRE(cudaFree(freed) == cudaSuccess);
  int host = 0;
  CHECK(cudaMemcpy(&host, freed, sizeof host, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemset(freed, 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("fills") {
  const test::DeviceArray<unsigned char> bytes(10, 1);
  CHECK(cudaMemset(bytes.get() + 2, 0xab, 3) == cudaSuccess);
  CHECK(cudaMemsetAsync(bytes.get() + 8, -1, 2) == cudaSuccess);
  CHECK(bytes.read() == std::vector<unsigned char>{1, 1, 0xab, 0xab, 0xab, 1, 1, 1, 0xff, 0xff});
}

TEST_CASE("copies and fills of rectangles") {
  std::size_t pitch = 0;
  char* device = nullptr;
  const std::size_t width = 5;
  const std::size_t height = 3;
  REQUIRE(cudaMallocPitch(&device, &pitch, width, height) == cudaSuccess);
  CHECK(pitch >= width);
  CHECK(pitch % 512 == 0);
  CHECK(cudaMemset2D(device, pitch, '.', width, height) == cudaSuccess);
  const char from[] = "abcd--efgh--";  // two rows of 4, 6 apart
  CHECK(cudaMemcpy2D(device + pitch + 1, pitch, from, 6, 4, 2, cudaMemcpyHostToDevice) ==
        cudaSuccess);
  std::string to(width * height, ' ');
  CHECK(cudaMemcpy2D(to.data(), width, device, pitch, width, height, cudaMemcpyDeviceToHost) ==
        cudaSuccess);
  CHECK(to == "......abcd.efgh");
  // Between the rows nothing was touched.
  unsigned char between = 0;
  CHECK(cudaMemcpy(&between, device + width, 1, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(between == 0xff);

  CHECK(cudaMemcpy2D(device, pitch, from, 3, 4, 2, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidPitchValue);
  CHECK(cudaMemcpy2D(device, pitch, from, 6, 4, 4, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemset2D(device, pitch, 0, width, height + 1) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFree(device) == cudaSuccess);
}

TEST_CASE("__constant__ and __device__ variables") {
  const float values[] = {1, 2, 4, 8};
  CHECK(cudaMemcpyToSymbol(coefficients, values, sizeof values) == cudaSuccess);
  const float changed = 32;
  CHECK(cudaMemcpyToSymbol(coefficients, &changed, sizeof changed, 3 * sizeof(float)) ==
        cudaSuccess);
  const Settings s{3, 0.5};
  CHECK(cudaMemcpyToSymbolAsync(settings, &s, sizeof s, 0, cudaMemcpyHostToDevice, nullptr) ==
        cudaSuccess);
  int start = 0;
  CHECK(cudaMemcpyFromSymbol(&start, counter, sizeof start) == cudaSuccess);
  CHECK(start == 5);
  const test::DeviceArray<float> out(3, 0);
  use_symbols<<<1, 1>>>(out.get());
  CHECK(out.read() == std::vector<float>{33, 5, 3.5f});
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count) == cudaSuccess);
  CHECK(count == 6);
  CHECK(cudaMemcpyFromSymbol(&count, table, sizeof count, 5 * sizeof(int)) == cudaSuccess);
  CHECK(count == 77);
}

TEST_CASE("symbols have addresses and sizes, and copies stay within them") {
  std::size_t bytes = 0;
  CHECK(cudaGetSymbolSize(&bytes, table) == cudaSuccess);
  CHECK(bytes == 6 * sizeof(int));
  void* address = nullptr;
  REQUIRE(cudaGetSymbolAddress(&address, table) == cudaSuccess);
  const int row[] = {8, 9};
  CHECK(cudaMemcpy(static_cast<int*>(address) + 2, row, sizeof row, cudaMemcpyHostToDevice) ==
        cudaSuccess);
  int read[2] = {};
  CHECK(cudaMemcpyFromSymbol(read, table, sizeof read, 2 * sizeof(int)) == cudaSuccess);
  CHECK(read[0] == 8);
  CHECK(read[1] == 9);
  int many[7] = {};
  CHECK(cudaMemcpyToSymbol(table, many, sizeof many) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(table, many, 4, 6 * sizeof(int)) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(static_cast<int*>(address) + 5, many, 8, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(table, many, 4, 0, cudaMemcpyDeviceToHost) ==
        cudaErrorInvalidMemcpyDirection);
  CHECK(cudaFree(address) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("boxes of three-dimensional memory") {
  const cudaExtent extent = make_cudaExtent(5, 4, 3);
  cudaPitchedPtr memory{};
  REQUIRE(cudaMalloc3D(&memory, extent) == cudaSuccess);
  CHECK(memory.pitch >= 5);
  CHECK(memory.xsize == 5);
  CHECK(memory.ysize == 4);
  REQUIRE(cudaMemset3D(memory, 1, extent) == cudaSuccess);
  // A box of 2 x 3 x 2 at (1, 1, 1) gets the numbers from 10 on.
  std::vector<unsigned char> numbers(2 * 3 * 2);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<unsigned char>(10 + i);
  cudaMemcpy3DParms in{};
  in.srcPtr = make_cudaPitchedPtr(numbers.data(), 2, 2, 3);
  in.dstPtr = memory;
  in.dstPos = make_cudaPos(1, 1, 1);
  in.extent = make_cudaExtent(2, 3, 2);
  in.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&in) == cudaSuccess);

  std::vector<unsigned char> all(5 * 4 * 3);
  cudaMemcpy3DParms out{};
  out.srcPtr = memory;
  out.dstPtr = make_cudaPitchedPtr(all.data(), 5, 5, 4);
  out.extent = extent;
  out.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3DAsync(&out) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x) {
        const bool inside = x >= 1 && x < 3 && y >= 1 && z >= 1;
        const int expected = inside ? 10 + ((z - 1) * 3 + y - 1) * 2 + x - 1 : 1;
        CHECK(all[static_cast<std::size_t>((z * 4 + y) * 5 + x)] == expected);
      }

  // A slice too many.
  in.dstPos = make_cudaPos(1, 1, 2);
  CHECK(cudaMemcpy3D(&in) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy3D(nullptr) == cudaErrorInvalidValue);
  CHECK(cudaMemset3D(memory, 0, make_cudaExtent(5, 4, 4)) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFree(memory.ptr) == cudaSuccess);
}
