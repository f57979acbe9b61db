#include "device/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace device {
namespace {

constexpr unsigned char kZoneTag = 0xA5;

void write_zone(unsigned char* where, std::size_t bytes) {
  if (bytes == 0) return;
  std::vector<unsigned char> zone(bytes);
  fill_red_zone(zone, kZoneTag);
  CUDA_CHECK(cudaMemcpy(where, zone.data(), bytes, cudaMemcpyHostToDevice));
}

std::vector<unsigned char> read_zone(const unsigned char* where, std::size_t bytes) {
  std::vector<unsigned char> zone(bytes);
  if (bytes == 0) return zone;
  CUDA_CHECK(cudaMemcpy(zone.data(), where, bytes, cudaMemcpyDeviceToHost));
  return zone;
}

}  // namespace

bool guards_are_on() {
  static const bool on = [] {
    const char* setting = std::getenv("TUTORIAL_GUARDS");
    return setting == nullptr || std::string_view(setting) != "off";
  }();
  return on;
}

std::size_t red_zone_bytes() { return guards_are_on() ? kRedZoneBytes : 0; }

GuardedMemory::GuardedMemory(std::size_t bytes, std::size_t offset)
    : bytes_(bytes), front_(red_zone_bytes() + offset) {
  const std::size_t all = front_ + bytes + red_zone_bytes();
  void* base = nullptr;
  CUDA_CHECK(cudaMalloc(&base, std::max<std::size_t>(all, 1)));
  base_.reset(static_cast<unsigned char*>(base));
  write_zone(base_.get(), front_);
  write_zone(base_.get() + front_ + bytes, red_zone_bytes());
}

std::string GuardedMemory::red_zone_fault(std::size_t element_bytes) const {
  const std::vector<unsigned char> before = read_zone(base_.get(), front_);
  const std::vector<unsigned char> after =
      read_zone(base_.get() + front_ + bytes_, red_zone_bytes());
  return device::red_zone_fault(before, after, kZoneTag, bytes_, element_bytes, "buffer");
}

}  // namespace device
