#include "problem/data.h"

#include <fmt/core.h>
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>

#include "problem/parallel.h"

namespace problem {
namespace {

std::size_t offset_of(const Offsets& offsets, std::size_t array) {
  return offsets.empty() ? 0 : offsets.at(array);
}

// Calls work(first, count) for every piece of [0, count).
template <class Work>
void for_each_piece(std::size_t count, Work work) {
  for (std::size_t first = 0; first < count; first += kPiece) {
    work(first, std::min(kPiece, count - first));
  }
}

// Compares the items of a piece on several threads, and merges their verdicts in order.
template <class Compare>
Verdict compare_in_parallel(std::size_t count, Compare compare_range) {
  std::mutex mutex;
  std::map<std::size_t, Verdict> parts;
  parallel_for(count, kHostGrain, [&](std::size_t begin, std::size_t end) {
    const Verdict part = compare_range(begin, end - begin);
    const std::lock_guard lock(mutex);
    parts[begin] = part;
  });
  Verdict whole;
  for (const auto& [begin, part] : parts) whole.merge(part);
  return whole;
}

}  // namespace

Inputs::Inputs(const Problem& problem, const Shape& shape, const InputOptions& options)
    : problem_(problem), shape_(shape), values_(options.values) {
  const std::vector<std::size_t> counts = problem.input_counts(shape);
  for (std::size_t array = 0; array < counts.size(); ++array) {
    const std::size_t count = counts[array];
    // Not zeroed here: the threads that make the values are the first to touch the pages.
    float* values = storage_.emplace_back(std::make_unique_for_overwrite<float[]>(count)).get();
    parallel_for(count, kHostGrain, [&](std::size_t begin, std::size_t end) {
      problem.fill(shape, options, array, begin, {values + begin, end - begin});
    });
    arrays_.emplace_back(values, count);
  }
  reference_ = problem.reference(shape, arrays_);
}

Inputs::Expected Inputs::expect(std::size_t first, std::size_t count) const {
  if (first != first_ || count != count_) {
    count_ = 0;  // nothing is kept if there is no memory
    value_.resize(count);
    bound_.resize(count);
    reference_->expect(first, value_, bound_);
    first_ = first;
    count_ = count;
  }
  return {value_, bound_};
}

DeviceData::DeviceData(const Inputs& inputs, const Offsets& offsets)
    : inputs_(inputs),
      output_(inputs.problem().output_count(inputs.shape()),
              offset_of(offsets, inputs.arrays().size())) {
  for (const std::span<const float> values : inputs.arrays()) {
    const std::size_t offset = offset_of(offsets, input_buffers_.size());
    auto& buffer =
        input_buffers_.emplace_back(std::make_unique<device::Buffer<float>>(values.size(), offset));
    buffer->upload(values);
    operands_.inputs.push_back(buffer->data());
  }
  operands_.output = output_.data();
  operands_.shape = inputs.shape();
}

Verdict DeviceData::check_output() const {
  Verdict whole;
  std::vector<float> got(std::min(kPiece, output_.size()));
  for_each_piece(output_.size(), [&](std::size_t first, std::size_t count) {
    output_.download({got.data(), count}, first);
    const Inputs::Expected expected = inputs_.expect(first, count);
    whole.merge(compare_in_parallel(count, [&](std::size_t begin, std::size_t length) {
      return compare(first + begin, {got.data() + begin, length},
                     expected.value.subspan(begin, length), expected.bound.subspan(begin, length),
                     inputs_.values() == Values::exact);
    }));
  });
  return whole;
}

std::string DeviceData::red_zone_fault() const {
  for (std::size_t array = 0; array < input_buffers_.size(); ++array) {
    const std::string fault = input_buffers_[array]->red_zone_fault();
    if (!fault.empty()) return fmt::format("input {}: {}", array, fault);
  }
  const std::string fault = output_.red_zone_fault();
  return fault.empty() ? fault : "output: " + fault;
}

std::string DeviceData::input_fault() const {
  std::vector<float> now;
  for (std::size_t array = 0; array < input_buffers_.size(); ++array) {
    const std::span<const float> before = inputs_.arrays()[array];
    now.resize(before.size());
    input_buffers_[array]->download(now);
    if (before.empty() || std::memcmp(now.data(), before.data(), before.size_bytes()) == 0)
      continue;
    const auto hit = std::mismatch(now.begin(), now.end(), before.begin()).first;
    return fmt::format("input {}: element {} was written", array, hit - now.begin());
  }
  return {};
}

std::vector<float> DeviceData::download_output() const {
  std::vector<float> values(output_.size());
  output_.download(values);
  return values;
}

std::uint64_t DeviceData::output_hash() const {
  std::uint64_t hash = 0xcbf29ce484222325u;
  std::vector<float> piece(std::min(kPiece, output_.size()));
  for_each_piece(output_.size(), [&](std::size_t first, std::size_t count) {
    output_.download({piece.data(), count}, first);
    for (std::size_t i = 0; i < count; ++i) {
      hash = (hash ^ std::bit_cast<std::uint32_t>(piece[i])) * 0x100000001b3u;
    }
  });
  return hash;
}

Footprint run_bytes(const Problem& problem, const Shape& shape) {
  const double outputs = static_cast<double>(problem.output_count(shape));
  const double inputs = problem.bytes(shape) - outputs * sizeof(float);
  const double piece = std::min(outputs, static_cast<double>(kPiece));
  const Footprint reference = problem.reference_bytes(shape);
  return {
      .device = problem.bytes(shape) + reference.device,
      .host = inputs + piece * (sizeof(float) + 2 * sizeof(double)) + reference.host,
  };
}

}  // namespace problem
