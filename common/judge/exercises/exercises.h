#pragma once

#include "judge/exercise.h"

namespace judge {

// elementwise.cpp
Exercise vector_addition();
Exercise matrix_addition();
Exercise relu();
Exercise leaky_relu();
Exercise sigmoid();
Exercise gelu();

// moves.cpp
Exercise matrix_copy();
Exercise reverse_array();
Exercise matrix_transpose();
Exercise transpose_in_place();
Exercise batched_transpose();
Exercise deinterleave();

// integers.cpp
Exercise color_inversion();
Exercise rainbow_table();

// reductions.cpp
Exercise reduction();
Exercise reduce_max();
Exercise argmax();

// products.cpp
Exercise convolution_1d();
Exercise gemv();
Exercise dot_product();
Exercise matrix_multiplication();
Exercise batched_matmul();
Exercise gram_matrix();
Exercise pairwise_distances();
Exercise linear_relu();
Exercise attention_head();

// scans.cpp
Exercise histogram();
Exercise exclusive_scan();
Exercise compaction();

// stencils.cpp
Exercise stencil_2d();
Exercise stencil_3d();
Exercise convolution_2d();

// rows.cpp
Exercise layer_norm();
Exercise rms_norm();
Exercise top_k();

// softmax.cpp
Exercise softmax_vector();
Exercise softmax_rows();

}  // namespace judge
