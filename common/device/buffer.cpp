#include "device/buffer.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace device {
namespace {

constexpr std::size_t kRedZoneBytes = 4096;  // a multiple of any alignment that an allocator gives

// As a float a NaN, so that a value read from outside spoils the result; and not the NaN of
// `Buffer::poison`, so that a poisoned output that is copied outside shows.
constexpr std::array<unsigned char, 4> kPattern = {0xA5, 0xA5, 0xA5, 0xFF};

std::vector<unsigned char> make_zone(std::size_t bytes) {
  std::vector<unsigned char> zone(bytes);
  for (std::size_t i = 0; i < bytes; ++i) zone[i] = kPattern[i % kPattern.size()];
  return zone;
}

void write_zone(unsigned char* where, std::size_t bytes) {
  if (bytes == 0) return;
  CUDA_CHECK(cudaMemcpy(where, make_zone(bytes).data(), bytes, cudaMemcpyHostToDevice));
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
  const std::vector<unsigned char> intact = make_zone(front_);

  // The written byte that is nearest to the buffer says most.
  for (std::size_t distance = 1; distance <= front_; ++distance) {
    if (before[front_ - distance] == intact[front_ - distance]) continue;
    const std::size_t element = (distance + element_bytes - 1) / element_bytes;
    return "element -" + std::to_string(element) + " was written, the buffer starts at element 0";
  }
  const auto hit = std::mismatch(after.begin(), after.end(), intact.begin()).first;
  if (hit == after.end()) return {};
  const std::size_t count = bytes_ / element_bytes;
  const std::size_t past = static_cast<std::size_t>(hit - after.begin()) / element_bytes;
  return "element " + std::to_string(count + past) +
         " was written, the buffer ends before element " + std::to_string(count);
}

}  // namespace device
