#include "harness/faults.h"

#include <fmt/core.h>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>

#include "device/backend.h"
#include "device/stream.h"
#include "harness/launch.h"
#include "problem/data.h"

namespace harness {
namespace {

constexpr std::array<std::uint64_t, 2> kSeeds = {1, 20261121};
constexpr int kRunsForSameBits = 5;

// A variant that was wrong once is not run again: one fault tells enough, and what a broken kernel
// does next is anybody's guess.
class FaultFinder {
 public:
  FaultFinder(const problem::Problem& problem, const std::vector<AnyVariant>& variants,
              Extent extent)
      : problem_(problem), variants_(variants), extent_(extent) {
    std::set<std::string> names;
    for (const AnyVariant& variant : variants) names.insert(variant.name);
    if (variants.empty() || names.size() != variants.size()) {
      throw std::invalid_argument("a step needs variants, each with a name of its own");
    }
  }

  void try_shape(const problem::Shape& shape) {
    for (const problem::Values values : kinds_of_values()) {
      for (const std::uint64_t seed : seeds_for(values)) {
        const problem::Inputs inputs(problem_, shape, {.seed = seed, .values = values});
        for (const problem::Offsets& offsets : all_offsets(inputs.arrays().size() + 1)) {
          // One set of values is enough to see what a pointer's alignment does.
          if (!offsets.empty() && (values != problem::Values::random || seed != kSeeds[0]))
            continue;
          try_data(inputs, offsets);
        }
      }
    }
  }

  // For shapes that are too long to be tried in every way.
  void try_once(const problem::Shape& shape) {
    try_data(problem::Inputs(problem_, shape, {.seed = kSeeds[0]}), {});
  }

  Findings take() { return std::move(findings_); }

 private:
  std::vector<problem::Values> kinds_of_values() const {
    std::vector<problem::Values> kinds = {problem::Values::random, problem::Values::exact};
    if (problem_.has_special_values()) kinds.push_back(problem::Values::special);
    return kinds;
  }

  // Either way, both of them come up.
  std::vector<std::uint64_t> seeds_for(problem::Values values) const {
    if (extent_ == Extent::all) return {kSeeds.begin(), kSeeds.end()};
    return {values == problem::Values::exact ? kSeeds[1] : kSeeds[0]};
  }

  // None moved, each array's pointer moved by one element, and all of them.
  static std::vector<problem::Offsets> all_offsets(std::size_t arrays) {
    std::vector<problem::Offsets> all = {{}};
    for (std::size_t array = 0; array < arrays; ++array) {
      all.emplace_back(arrays, 0).at(array) = 1;
    }
    if (arrays > 1) all.emplace_back(arrays, 1);
    return all;
  }

  void try_data(const problem::Inputs& inputs, const problem::Offsets& offsets) {
    auto data = std::make_unique<problem::DeviceData>(inputs, offsets);
    for (const AnyVariant& variant : variants_) {
      if (broken_.contains(variant.name)) continue;
      std::string fault = try_variant(variant, inputs, offsets, *data);
      if (fault.empty()) continue;
      broken_.insert(variant.name);
      fault = variant.name + " at " + problem_.describe(inputs.shape()) +
              describe(inputs.values()) + describe(offsets) + ": " + fault;
      findings_.faults.push_back(fault);
      // The next variant must not be blamed for what this one did to inputs and red zones.
      data = std::make_unique<problem::DeviceData>(inputs, offsets);
    }
  }

  std::string try_variant(const AnyVariant& variant, const problem::Inputs& inputs,
                          const problem::Offsets& offsets, problem::DeviceData& data) {
    const Checked checked = launch_and_check(variant.launch, data, stream_);
    ++findings_.launches;
    findings_.elements += checked.verdict.elements;
    if (!checked.fault.empty()) return checked.fault;
    if (const std::string fault = data.input_fault(); !fault.empty()) return fault;
    return variant.promise == Promise::same_bits && is_repeated(inputs, offsets)
               ? try_same_bits(variant, data)
               : std::string();
  }

  // Right results of exact values have the same bits in any order, and a moved pointer leads to
  // code that ragged sizes have run.
  bool is_repeated(const problem::Inputs& inputs, const problem::Offsets& offsets) const {
    return extent_ == Extent::all ||
           (inputs.values() == problem::Values::random && offsets.empty());
  }

  std::string try_same_bits(const AnyVariant& variant, problem::DeviceData& data) {
    const std::vector<float> first = data.download_output();
    if (first.empty()) return {};
    for (int run = 1; run < kRunsForSameBits; ++run) {
      const Checked checked = launch_and_check(variant.launch, data, stream_);
      ++findings_.launches;
      if (!checked.fault.empty()) return checked.fault;
      const std::vector<float> now = data.download_output();
      if (std::memcmp(now.data(), first.data(), first.size() * sizeof(float)) != 0) {
        return fmt::format("run {} gave other bits than the first", run + 1);
      }
    }
    return {};
  }

  static const char* describe(problem::Values values) {
    switch (values) {
      case problem::Values::exact:
        return " (exact inputs)";
      case problem::Values::special:
        return " (special inputs)";
      default:
        return "";
    }
  }

  static std::string describe(const problem::Offsets& offsets) {
    std::string text;
    for (const std::size_t offset : offsets) {
      text += fmt::format("{}{}", text.empty() ? ", pointers moved by " : ", ", 4 * offset);
    }
    return text.empty() ? text : text + " bytes";
  }

  const problem::Problem& problem_;
  const std::vector<AnyVariant>& variants_;
  const Extent extent_;
  device::Stream stream_;
  std::set<std::string> broken_;
  Findings findings_;
};

}  // namespace

Extent extent_of_tests() {
  const char* const named = std::getenv("TUTORIAL_EXTENT");
  const bool all = named != nullptr && named == std::string_view("all");
  return all || !device::kIsCpu ? Extent::all : Extent::usual;
}

Findings find_faults(const problem::Problem& problem, std::span<const int> tiles,
                     const std::vector<AnyVariant>& variants, Extent extent) {
  FaultFinder finder(problem, variants, extent);
  for (const problem::Shape& shape : problem.test_shapes(tiles)) finder.try_shape(shape);
  // Some faults need many blocks to show, such as an order of atomic additions.
  problem::Shape quick;
  for (const problem::Size& size : problem.sizes()) quick.push_back(size.standard(true));
  finder.try_once(quick);
  for (const problem::Shape& shape : problem.long_test_shapes()) finder.try_once(shape);
  return finder.take();
}

}  // namespace harness
