#pragma once

#include <vector>

#include "problem/problem.h"

namespace problem {

/// The kernels that cublasLt's heuristics name for C = A B, best guess first: A is m x k, B is k x
/// n, C is m x n, all row-major, all at least 1. fp32 all the way, without tensor cores. They share
/// a workspace of the process.
std::vector<Baseline> cublaslt_products(int m, int n, int k);

}  // namespace problem
