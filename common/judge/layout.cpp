#include "judge/layout.h"

#include <algorithm>
#include <cstring>

#include "judge/comparison.h"
#include "judge/protocol.h"

namespace judge {

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
    std::memset(first, kPoison, zone_);
    if (exercise.arrays[i].role == Role::output)
      std::memset(first + zone_, kPoison, bytes);
    else
      std::memcpy(first + zone_, data.arrays[i].bytes().data(), bytes);
    std::memset(first + zone_ + bytes, kPoison, zone_);
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
  const auto is_written = [](unsigned char byte) { return byte != kPoison; };
  const std::span<const unsigned char> front(memory + at, zone_);
  const std::span<const unsigned char> back(memory + at + zone_ + bytes, zone_);
  const auto before = std::find_if(front.rbegin(), front.rend(), is_written);
  if (before != front.rend()) {
    const auto distance = static_cast<std::size_t>(before - front.rbegin()) / element_bytes + 1;
    return "element -" + std::to_string(distance) + " was written, the array begins at element 0";
  }
  const auto after = std::find_if(back.begin(), back.end(), is_written);
  if (after == back.end()) return {};
  const std::size_t end = bytes / element_bytes;
  const auto distance = static_cast<std::size_t>(after - back.begin()) / element_bytes;
  return "element " + std::to_string(end + distance) +
         " was written, the array ends before element " + std::to_string(end);
}

}  // namespace judge
