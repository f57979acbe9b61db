#include "device/guards.h"

namespace device {
namespace {

unsigned char zone_byte(std::size_t at, unsigned char tag) {
  const bool is_tag = at % sizeof(float) < sizeof(float) / 2;
  return is_tag ? tag : 0xFF;
}

bool is_written(std::span<const unsigned char> zone, std::size_t at, unsigned char tag) {
  return zone[at] != zone_byte(at, tag);
}

}  // namespace

void fill_red_zone(std::span<unsigned char> zone, unsigned char tag) {
  for (std::size_t at = 0; at < zone.size(); ++at) zone[at] = zone_byte(at, tag);
}

std::string red_zone_fault(std::span<const unsigned char> before,
                           std::span<const unsigned char> after, unsigned char tag,
                           std::size_t bytes, std::size_t element_bytes, std::string_view what) {
  const std::string array = " was written, the " + std::string(what);
  // The written byte that is nearest to the array says most.
  for (std::size_t distance = 1; distance <= before.size(); ++distance) {
    if (!is_written(before, before.size() - distance, tag)) continue;
    const std::size_t element = (distance + element_bytes - 1) / element_bytes;
    return "element -" + std::to_string(element) + array + " starts at element 0";
  }
  const std::size_t end = bytes / element_bytes;
  for (std::size_t at = 0; at < after.size(); ++at) {
    if (!is_written(after, at, tag)) continue;
    const std::size_t element = end + at / element_bytes;
    return "element " + std::to_string(element) + array + " ends before element " +
           std::to_string(end);
  }
  return {};
}

}  // namespace device
