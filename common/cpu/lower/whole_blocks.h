// Makes kernels run a block as plain loops over its threads: without a fiber for each if they have
// barriers, and without a look at whose turn it is after each thread if they have none.
//
// If all threads of a block reach the same barriers, a kernel is a sequence of parts between them,
// and a block may run each part for one thread after the other:
//
//   x[t] = ...;                 for (each thread) x[t] = ...;
//   __syncthreads();            for (each thread) y[t] = x[t ^ 1];
//   y[t] = x[t ^ 1];
//
// That is the order in which fibers run, too, so the values are the same; but nothing is switched,
// and the compiler can vectorize over the threads. A variable that is needed behind a barrier
// becomes an array with an element per thread; one that is the same for all threads is computed
// once. Barriers may stand in loops that all threads run through alike.
//
// A loop over rows, `for (row = threadIdx.y; ...)`, goes around the threads of a row, so that they
// take each turn together. That is another order than the fibers', as CUDA allows: only a kernel
// with a race can tell.
//
// Nobody notes which thread runs: a store per thread would take as much room in the processor's
// buffers as the result of a small kernel. If a thread fails, the block runs again by the first
// body, which tells (Worker::run_block_again).
//
// A kernel in which anything is not understood keeps its fibers: calls of functions of the program,
// which might wait, shuffles, barriers in branches, threads that return early, arrays per thread
// that outlive a barrier (the tiles in registers of a matrix product, which loops would keep in
// memory).
//
// Two things do not show in the text, so the compiler checks them:
// - Nothing calls a function unseen, such as an operator or a constructor, which might wait, or ask
//   which thread runs: all types are plain (cucpu/plain_types.h).
// - No thread changes what all threads have alike: in the second body, that is constant. If this
//   body does not compile, the kernels of its file keep their fibers.
#pragma once

#include <string>
#include <string_view>

namespace cucpu::lower {

// The text with a second body in each kernel that can be run so, behind the first. It asks
// cucpu::begin_whole_block() which of them to run. That body, or the first one of a kernel with
// barriers and arrays, may have a version for AVX2 (versions.h). Lines keep their numbers.
std::string with_whole_blocks(std::string_view preprocessed);

}  // namespace cucpu::lower
