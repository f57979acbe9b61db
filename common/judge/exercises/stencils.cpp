// Elements that depend on their neighbors in a grid.
#include <cmath>

#include "judge/exercises/exercises.h"
#include "problem/arithmetic.h"

namespace judge {
namespace {

void fill(Data& data) { fill_floats(data); }

std::size_t size(const Sizes& sizes, std::size_t i) { return static_cast<std::size_t>(sizes[i]); }

// `weight` times the sum of a point and the ones `strides` before and after it.
Expected mean(std::span<const float> grid, std::size_t i, std::span<const std::size_t> strides,
              double weight) {
  double sum = grid[i], absolute = std::abs(grid[i]);
  for (const std::size_t stride : strides)
    for (const float x : {grid[i - stride], grid[i + stride]}) {
      sum += x;
      absolute += std::abs(x);
    }
  // The sum rounds as often as it has terms, and the weight and the product once each.
  return {.value = weight * sum, .bound = problem::kSumFactor * problem::kEps * weight * absolute};
}

bool is_inside(std::size_t i, std::size_t count) { return i > 0 && i + 1 < count; }

std::size_t outputs(std::size_t inputs, std::size_t weights) { return inputs - weights + 1; }

}  // namespace

Exercise stencil_2d() {
  std::vector<Sizes> shapes = edge_rectangles();
  // Whole warps and blocks, also if a thread has four columns.
  shapes.insert(shapes.end(), {{7, 128}, {35, 1024}});
  return {
      .name = "stencil_2d",
      .title = "the mean of an element and 4 neighbors",
      .arrays = {{"input", Element::f32, Role::input, rectangle},
                 {"output", Element::f32, Role::output, rectangle}},
      .sizes = {"rows", "cols"},
      .cases = make_cases(shapes, {Values::equal}, {{3, 3}, {17, 33}}),
      .large_cpu = {324, 308},
      .large_cuda = {4099, 4111},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        const std::size_t rows = size(data.run.sizes, 0), cols = size(data.run.sizes, 1);
        return [=, grid = data.floats(0)](std::size_t i) -> Expected {
          if (!is_inside(i / cols, rows) || !is_inside(i % cols, cols))
            return Expected::exactly(grid[i]);
          const std::size_t strides[] = {1, cols};
          return mean(grid, i, strides, 1.0 / 5);
        };
      },
      .bench = {16384, 16384},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(1.8)},
  };
}

Exercise stencil_3d() {
  return {
      .name = "stencil_3d",
      .title = "the mean of an element and 6 neighbors",
      .arrays = {{"input", Element::f32, Role::input,
                  [](const Sizes& s) { return size(s, 0) * size(s, 1) * size(s, 2); }},
                 {"output", Element::f32, Role::output,
                  [](const Sizes& s) { return size(s, 0) * size(s, 1) * size(s, 2); }}},
      .sizes = {"nz", "ny", "nx"},
      .cases = make_cases({{1, 1, 1},
                           {1, 5, 7},
                           {2, 2, 2},
                           {3, 3, 3},
                           {3, 4, 5},
                           {5, 3, 33},
                           {33, 3, 4},
                           {4, 33, 3},
                           {9, 17, 31},
                           {8, 8, 32},
                           {10, 34, 66}},
                          {Values::equal}, {{3, 3, 3}, {5, 17, 33}}),
      .large_cpu = {20, 66, 132},
      .large_cuda = {131, 259, 515},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        const std::size_t nz = size(data.run.sizes, 0), ny = size(data.run.sizes, 1),
                          nx = size(data.run.sizes, 2);
        return [=, grid = data.floats(0)](std::size_t i) -> Expected {
          if (!is_inside(i / (ny * nx), nz) || !is_inside(i / nx % ny, ny) ||
              !is_inside(i % nx, nx))
            return Expected::exactly(grid[i]);
          const std::size_t strides[] = {1, nx, ny * nx};
          return mean(grid, i, strides, 1.0 / 7);
        };
      },
      .bench = {512, 512, 1024},
      .limit = problem::Limit::copy,
      .goals = {bytes_moved(2.0)},
  };
}

Exercise convolution_2d() {
  return {
      .name = "convolution_2d",
      .title = "a matrix of weights slides over an image",
      .arrays = {{"input", Element::f32, Role::input, rectangle},
                 {"kernel", Element::f32, Role::input,
                  [](const Sizes& s) { return size(s, 2) * size(s, 3); }},
                 {"output", Element::f32, Role::output,
                  [](const Sizes& s) {
                    return outputs(size(s, 0), size(s, 2)) * outputs(size(s, 1), size(s, 3));
                  }}},
      .sizes = {"rows", "cols", "kernel_rows", "kernel_cols"},
      .cases = make_cases({{1, 1, 1, 1},
                           {2, 3, 1, 1},
                           {3, 3, 3, 3},
                           {5, 4, 2, 3},
                           {4, 9, 3, 1},
                           {9, 4, 1, 3},
                           {16, 32, 3, 3},
                           {17, 33, 5, 5},
                           {31, 31, 31, 31},
                           {40, 37, 31, 2},
                           {37, 40, 2, 31},
                           {66, 70, 7, 9}},
                          {Values::exact, Values::equal}, {{5, 6, 3, 2}, {33, 35, 5, 4}}),
      .large_cpu = {100, 132, 9, 9},
      .large_cuda = {1031, 2053, 15, 15},
      .fill = fill,
      .answer = [](const Data& data) -> Answer {
        const std::size_t cols = size(data.run.sizes, 1), kernel_rows = size(data.run.sizes, 2),
                          kernel_cols = size(data.run.sizes, 3);
        const std::size_t across = outputs(cols, kernel_cols);
        return [=, &data](std::size_t i) -> Expected {
          const float* corner = data.floats(0).data() + i / across * cols + i % across;
          const float* weights = data.floats(1).data();
          double sum = 0, absolute = 0;
          for (std::size_t row = 0; row < kernel_rows; ++row)
            for (std::size_t col = 0; col < kernel_cols; ++col) {
              const double product =
                  static_cast<double>(corner[row * cols + col]) * weights[row * kernel_cols + col];
              sum += product;
              absolute += std::abs(product);
            }
          return {.value = sum, .bound = sum_bound(data, absolute)};
        };
      },
      .bench = {8192, 8192, 15, 15},
      .limit = problem::Limit::ffma,
      .flops =
          [](const Sizes& s) {
            return 2.0 * s[2] * s[3] * (s[0] - s[2] + 1.0) * (s[1] - s[3] + 1.0);
          },
      .goals = {bytes_moved(3.0)},
  };
}

}  // namespace judge
