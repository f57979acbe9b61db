#include "judge/exercise.h"

#include <fmt/core.h>
#include <algorithm>
#include <bit>
#include <string>

#include "judge/exercises/exercises.h"
#include "problem/arithmetic.h"
#include "problem/parallel.h"
#include "problem/random.h"

namespace judge {
namespace {

// Other for each seed, from 0.5 up to 1: the largest of very many numbers is not always the same.
float scale_of(const Case& run) {
  constexpr std::uint64_t kOfNoArray = ~std::uint64_t{0};
  return 0.75f + 0.25f * problem::random_unit(run.seed, kOfNoArray, 0);
}

float one_float(const Case& run, std::span<const float> special, std::size_t array,
                std::size_t index) {
  switch (run.values) {
    case Values::random:
      break;
    case Values::exact:
      return problem::random_integer(run.seed, array, index);
    case Values::equal:
      return array == 0 ? 0.5f : -0.25f;
    case Values::special:
      // Among ordinary neighbors, and at a distance that is no multiple of a pack of four.
      if (!special.empty() && index % 3 == 0) return special[index / 3 % special.size()];
  }
  return scale_of(run) * problem::random_unit(run.seed, array, index);
}

}  // namespace

std::size_t bytes_of(Element element) { return element == Element::u8 ? 1 : 4; }

std::string_view name_of(Values values) {
  switch (values) {
    case Values::random:
      return "random";
    case Values::exact:
      return "small integers";
    case Values::equal:
      return "all equal";
    case Values::special:
      return "special";
  }
  return {};
}

Expected Expected::exactly(float value) {
  return {.value = value, .bits = std::bit_cast<std::uint32_t>(value)};
}

Expected Expected::exactly(std::uint32_t bits) {
  return {.value = static_cast<double>(bits), .bits = bits};
}

std::string Exercise::parameter_type(std::size_t array) const {
  const std::string constant = arrays[array].role == Role::input ? "const " : "";
  switch (arrays[array].element) {
    case Element::f32:
      return constant + "float*";
    case Element::u8:
      return constant + "unsigned char*";
    case Element::i32:
      return constant + "int*";
    case Element::u32:
      return constant + "unsigned int*";
  }
  return {};
}

std::string Exercise::signature() const {
  std::string text = "extern \"C\" void solve(";
  for (std::size_t i = 0; i < arrays.size(); ++i)
    text += (i == 0 ? "" : ", ") + parameter_type(i) + " " + std::string(arrays[i].name);
  for (const std::string_view size : sizes) text += ", int " + std::string(size);
  return text + ")";
}

std::string Exercise::function_type() const {
  std::string text = "void(";
  for (std::size_t i = 0; i < arrays.size(); ++i) text += (i == 0 ? "" : ", ") + parameter_type(i);
  for (std::size_t i = 0; i < sizes.size(); ++i) text += ", int";
  return text + ")";
}

std::size_t Exercise::output() const {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [](const Array& a) { return a.role != Role::input; });
  return static_cast<std::size_t>(found - arrays.begin());
}

std::string Exercise::describe(const Sizes& values) const {
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : " ", sizes[i], values[i]);
  return text;
}

double Exercise::bytes(const Sizes& values) const {
  double bytes = 0;
  for (const Array& array : arrays) {
    const auto once = static_cast<double>(array.count(values) * bytes_of(array.element));
    if (array.role != Role::output) bytes += reads * once;
    if (array.role != Role::input) bytes += once;
  }
  return bytes;
}

const std::vector<Exercise>& exercises() {
  static const std::vector<Exercise> all = {
      // 01
      vector_addition(),
      matrix_addition(),
      matrix_copy(),
      relu(),
      leaky_relu(),
      sigmoid(),
      reverse_array(),
      color_inversion(),
      rainbow_table(),
      // 02
      convolution_1d(),
      gelu(),
      // 03
      reduction(),
      histogram(),
      // 04
      dot_product(),
      stencil_2d(),
      // 05
      reduce_max(),
      argmax(),
      gemv(),
      exclusive_scan(),
      compaction(),
      // 06
      softmax_vector(),
      softmax_rows(),
      layer_norm(),
      rms_norm(),
      top_k(),
      // 07
      matrix_transpose(),
      deinterleave(),
      // 08
      transpose_in_place(),
      batched_transpose(),
      // 09
      matrix_multiplication(),
      batched_matmul(),
      // 10
      convolution_2d(),
      stencil_3d(),
      // 11
      gram_matrix(),
      pairwise_distances(),
      // 12
      linear_relu(),
      attention_head(),
  };
  return all;
}

const Exercise* find_exercise(std::string_view name) {
  const auto& all = exercises();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Exercise& e) { return e.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Data make_data(const Exercise& exercise, const Case& run) {
  Data data{.run = run, .arrays = {}};
  for (const Array& array : exercise.arrays)
    data.arrays.emplace_back(
        array.role == Role::output ? 0 : array.count(run.sizes) * bytes_of(array.element));
  exercise.fill(data);
  return data;
}

std::size_t length(const Sizes& sizes) { return static_cast<std::size_t>(sizes[0]); }

std::size_t square(const Sizes& sizes) { return length(sizes) * length(sizes); }

std::size_t rectangle(const Sizes& sizes) {
  return length(sizes) * static_cast<std::size_t>(sizes[1]);
}

std::vector<Sizes> edge_lengths() {
  return {{1},  {2},   {3},   {4},   {5},   {7},    {17},   {31},   {32},   {33},
          {63}, {127}, {255}, {256}, {257}, {1000}, {1023}, {1025}, {2053}, {10007}};
}

std::vector<Sizes> edge_widths() {
  return {{1}, {2}, {3}, {4}, {5}, {7}, {15}, {16}, {17}, {31}, {32}, {33}, {63}, {65}, {100}};
}

std::vector<Sizes> edge_rectangles() {
  return {{1, 1},    {1, 2},    {2, 1},    {2, 3},    {3, 1},     {1, 7},    {5, 7},   {4, 32},
          {31, 4},   {32, 32},  {33, 17},  {17, 33},  {31, 127},  {128, 65}, {3, 257}, {257, 5},
          {2, 1000}, {1, 1023}, {1025, 1}, {5, 2053}, {1, 10007}, {311, 257}};
}

std::vector<Case> make_cases(const std::vector<Sizes>& shapes, const std::vector<Values>& others,
                             const std::vector<Sizes>& some) {
  std::vector<Case> cases;
  for (const Sizes& shape : shapes) cases.push_back({shape, Values::random});
  for (const Values values : others)
    for (const Sizes& shape : some) cases.push_back({shape, values});
  return cases;
}

void fill_floats(Data& data, std::span<const float> special) {
  for (std::size_t array = 0; array < data.arrays.size(); ++array)
    for_each_element<float>(
        data, array, [&](std::size_t i, float& x) { x = one_float(data.run, special, array, i); });
}

std::uint32_t random_word(const Data& data, std::size_t array, std::size_t index) {
  return static_cast<std::uint32_t>(problem::random_bits(data.run.seed, array, index) >> 32);
}

double sum_bound(const Data& data, double absolute) {
  return data.run.values == Values::exact ? 0 : problem::kSumFactor * problem::kEps * absolute;
}

}  // namespace judge
