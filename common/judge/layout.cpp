#include "judge/layout.h"

#include <cstring>

#include "device/guards.h"
#include "judge/protocol.h"

namespace judge {
namespace {

// The byte that fills the red zones of an array.
unsigned char tag_of(std::size_t array) { return static_cast<unsigned char>(array + 1); }

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
    device::fill_red_zone({first, zone_}, tag_of(i));
    if (exercise.arrays[i].role == Role::output)
      std::memset(first + zone_, device::kPoison, bytes);
    else
      std::memcpy(first + zone_, data.arrays[i].bytes().data(), bytes);
    device::fill_red_zone({first + zone_ + bytes, zone_}, tag_of(i));
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
  return device::red_zone_fault({memory + at, zone_}, {memory + at + zone_ + bytes, zone_},
                                tag_of(array), bytes, element_bytes, "array");
}

}  // namespace judge
