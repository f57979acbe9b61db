#include "judge/layout.h"

#include <cstring>

#include "judge/comparison.h"
#include "judge/protocol.h"

namespace judge {
namespace {

// Byte `at` of an array's red zones: NaNs, as floats, which differ from array to array, so that
// what is copied from one zone to another shows.
unsigned char zone_byte(std::size_t array, std::size_t at) {
  const bool is_tag = at % sizeof(float) < sizeof(float) / 2;
  return is_tag ? static_cast<unsigned char>(array + 1) : kPoison;
}

void fill_zone(std::size_t array, std::span<unsigned char> zone) {
  for (std::size_t at = 0; at < zone.size(); ++at) zone[at] = zone_byte(array, at);
}

// The places in a zone that were written.
std::vector<std::size_t> written(std::size_t array, std::span<const unsigned char> zone) {
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < zone.size(); ++at)
    if (zone[at] != zone_byte(array, at)) places.push_back(at);
  return places;
}

}  // namespace

using Json = nlohmann::ordered_json;

Layout::Layout(const Exercise& exercise, const Sizes& sizes, std::size_t zone) : zone_(zone) {
  for (const Array& array : exercise.arrays) {
    const std::size_t bytes = array.count(sizes) * bytes_of(array.element);
    places_.push_back({bytes_, bytes});
    const std::size_t all = bytes + 2 * zone;
    bytes_ += (all + kAlignment - 1) / kAlignment * kAlignment;
  }
}

void Layout::fill(const Exercise& exercise, const Data& data, unsigned char* memory) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto [at, bytes] = places_[i];
    unsigned char* const first = memory + at;
    fill_zone(i, {first, zone_});
    if (exercise.arrays[i].role == Role::output)
      std::memset(first + zone_, kPoison, bytes);
    else
      std::memcpy(first + zone_, data.arrays[i].bytes().data(), bytes);
    fill_zone(i, {first + zone_ + bytes, zone_});
  }
}

Json Layout::to_json(const Exercise& exercise, const std::string& outputs,
                     std::size_t shift) const {
  Json json = Json::array();
  for (std::size_t i = 0; i < places_.size(); ++i)
    json.push_back({{"at", places_[i].at},
                    {"bytes", places_[i].bytes},
                    {"zone", zone_},
                    {"shift", shift},
                    {"fill", exercise.arrays[i].role == Role::output ? outputs : "upload"}});
  return json;
}

std::span<const unsigned char> Layout::data(std::size_t array, const unsigned char* memory) const {
  return {memory + places_[array].at + zone_, places_[array].bytes};
}

std::string Layout::zone_fault(std::size_t array, std::size_t element_bytes,
                               const unsigned char* memory) const {
  const auto [at, bytes] = places_[array];
  const std::vector<std::size_t> before = written(array, {memory + at, zone_});
  if (!before.empty()) {
    const std::size_t distance = (zone_ - before.back() - 1) / element_bytes + 1;
    return "element -" + std::to_string(distance) + " was written, the array begins at element 0";
  }
  const std::vector<std::size_t> after = written(array, {memory + at + zone_ + bytes, zone_});
  if (after.empty()) return {};
  const std::size_t end = bytes / element_bytes;
  return "element " + std::to_string(end + after.front() / element_bytes) +
         " was written, the array ends before element " + std::to_string(end);
}

}  // namespace judge
