#pragma once

#include "judge/exercise.h"

namespace judge {

// elementwise.cpp
Exercise vector_addition();
Exercise matrix_addition();
Exercise relu();
Exercise leaky_relu();
Exercise sigmoid();

// moves.cpp
Exercise matrix_copy();
Exercise reverse_array();
Exercise matrix_transpose();

// integers.cpp
Exercise color_inversion();
Exercise rainbow_table();

// reductions.cpp
Exercise reduction();
Exercise reduce_max();

// products.cpp
Exercise convolution_1d();
Exercise gemv();
Exercise matrix_multiplication();

// softmax.cpp
Exercise softmax_vector();
Exercise softmax_rows();

}  // namespace judge
