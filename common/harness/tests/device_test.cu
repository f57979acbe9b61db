// The thin layer over the runtime: errors, buffers and their red zones, events, probes.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/buffer.h"
#include "device/check.h"
#include "device/event.h"
#include "device/info.h"
#include "device/l2_flush.h"
#include "device/roof.h"
#include "device/stopwatch.h"
#include "device/stream.h"

namespace {

__global__ void write_at_kernel(float* data, long long index) { data[index] = 1.0f; }

std::string fault_after_write(std::size_t count, std::size_t offset, long long index) {
  const device::Buffer<float> buffer(count, offset);
  write_at_kernel<<<1, 1>>>(buffer.data(), index);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  return buffer.red_zone_fault();
}

}  // namespace

TEST_CASE("an error names the file, the call, and the error") {
  std::string message;
  try {
    CUDA_CHECK(cudaSetDevice(1000000));
  } catch (const device::Error& error) {
    CHECK(error.code() == cudaErrorInvalidDevice);
    message = error.what();
  }
  for (const char* part : {"device_test.cu:", "cudaSetDevice(1000000)", "cudaErrorInvalidDevice"}) {
    CAPTURE(message);
    CHECK(message.find(part) != std::string::npos);
  }
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a write inside a buffer leaves its red zones intact") {
  for (const std::size_t offset : {0, 1}) {
    CHECK(fault_after_write(5, offset, 0) == "");
    CHECK(fault_after_write(5, offset, 4) == "");
  }
}

TEST_CASE("a write outside a buffer is found, and where it was") {
  for (const std::size_t offset : {0, 1}) {
    CAPTURE(offset);
    CHECK(fault_after_write(5, offset, 5) ==
          "element 5 was written, the buffer ends before element 5");
    CHECK(fault_after_write(5, offset, 17) ==
          "element 17 was written, the buffer ends before element 5");
    CHECK(fault_after_write(5, offset, -1) ==
          "element -1 was written, the buffer starts at element 0");
    CHECK(fault_after_write(5, offset, -9) ==
          "element -9 was written, the buffer starts at element 0");
    CHECK(fault_after_write(0, offset, 0) ==
          "element 0 was written, the buffer ends before element 0");
  }
}

TEST_CASE("what lies around a buffer reads as NaN") {
  const device::Buffer<float> buffer(4, 1);
  for (const int index : {-1, 4}) {
    float value = 0;
    CUDA_CHECK(cudaMemcpy(&value, buffer.data() + index, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(std::isnan(value));
  }
}

TEST_CASE("what is copied into a red zone shows: poison, and a red zone of another tag") {
  constexpr unsigned char kTag = 1;
  std::vector<unsigned char> zone(8), other(8), poison(8, device::kPoison);
  device::fill_red_zone(zone, kTag);
  device::fill_red_zone(other, kTag + 1);
  const auto fault = [&](const std::vector<unsigned char>& before,
                         const std::vector<unsigned char>& after) {
    return device::red_zone_fault(before, after, kTag, 12, sizeof(float), "array");
  };
  CHECK(fault(zone, zone) == "");
  for (const auto& copied : {poison, other}) {
    CHECK(fault(zone, copied) == "element 3 was written, the array ends before element 3");
    CHECK(fault(copied, zone) == "element -1 was written, the array starts at element 0");
  }
}

TEST_CASE("an offset moves the base pointer by so many elements and no more") {
  constexpr std::size_t kAlignment = 256;
  for (const std::size_t offset : {0, 1, 3}) {
    const device::Buffer<float> buffer(10, offset);
    CHECK(reinterpret_cast<std::size_t>(buffer.data()) % kAlignment == offset * sizeof(float));
  }
}

TEST_CASE("values go up and down whole and in parts; poison is NaN") {
  device::Buffer<float> buffer(4, 1);
  buffer.upload(std::vector<float>{1, 2, 3, 4});
  buffer.upload(std::vector<float>{9}, 2);
  std::vector<float> all(4), two(2);
  buffer.download(all);
  buffer.download(two, 1);
  CHECK(all == std::vector<float>{1, 2, 9, 4});
  CHECK(two == std::vector<float>{2, 9});

  const device::Stream stream;
  buffer.poison(stream.get());
  stream.synchronize();
  buffer.download(all);
  for (const float value : all) CHECK(std::isnan(value));
  CHECK(buffer.red_zone_fault() == "");
}

TEST_CASE("a size that does not fit is an error, not a crash") {
  constexpr std::size_t kHuge = std::size_t{1} << 50;
  CHECK_THROWS_AS(device::Buffer<float>{kHuge}, device::Error);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("events measure time that passes in order") {
  const device::Stream stream;
  device::Event start, stop;
  start.record(stream.get());
  stop.record(stream.get());
  stop.synchronize();
  CHECK(stop.ms_since(start) >= 0);
}

TEST_CASE("a device tells about itself") {
  CHECK(device::count() >= 1);
  const device::Info info = device::info(0);
  CHECK(info.name != "");
  CHECK(info.multiprocessors >= 1);
  CHECK(device::free_memory() > 0);
  CHECK(device::driver_version().find('.') != std::string::npos);
  CHECK(device::toolkit_version().find('.') != std::string::npos);
}

TEST_CASE("probes give rates, and refuse mixes they do not have") {
  constexpr std::size_t kBytes = 1 << 20;
  CHECK(device::measure_bandwidth(1, 0, kBytes).rate() > 0);
  CHECK(device::measure_bandwidth(0, 1, kBytes).rate() > 0);
  CHECK(device::measure_bandwidth(1, 1, kBytes).rate() > 0);
  CHECK(device::measure_bandwidth(2, 1, kBytes).rate() > 0);
  CHECK(device::measure_ffma().rate() > 0);
  CHECK_THROWS_AS(device::measure_bandwidth(3, 1, kBytes), std::invalid_argument);
}

TEST_CASE("a flush takes the memory it says") {
  for (const device::Lines lines : {device::Lines::modified, device::Lines::clean}) {
    device::L2Flush flush(lines);
    const device::Stream stream;
    flush(stream.get());
    stream.synchronize();
  }
  CHECK(device::L2Flush::bytes() % sizeof(float4) == 0);
}

TEST_CASE("a stopwatch times what is launched, and knows the clocks") {
  const device::Stream stream;
  device::Stopwatch watch(stream.get());
  const device::Buffer<float> buffer(1);
  for (int i = 0; i < 3; ++i) {
    watch.time([&] { write_at_kernel<<<1, 1, 0, stream.get()>>>(buffer.data(), 0); });
  }
  const device::Timing timing = watch.timing();
  CHECK(timing.repeats == 3);
  CHECK(timing.min_ms > 0);
  CHECK(timing.min_ms <= timing.median_ms);
  CHECK(timing.median_ms <= timing.max_ms);
  if (timing.clocks) CHECK(timing.clocks->lowest > 0);
  if (timing.clocks) CHECK(timing.clocks->lowest <= timing.clocks->highest);
  watch.reset();
  watch.time([&] { write_at_kernel<<<1, 1, 0, stream.get()>>>(buffer.data(), 0); });
  CHECK(watch.timing().repeats == 1);
}
