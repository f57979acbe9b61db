#pragma once

#include <memory>
#include <span>
#include <vector>

#include "problem/problem.h"

namespace problem {

/// The fp64 reference of C = A B, a (m, k) by a (k, n) matrix, computed on the host's threads.
std::unique_ptr<Reference> sgemm_host_reference(const Shape& shape,
                                                const std::vector<std::span<const float>>& inputs);

/// The same, computed by a kernel in fp64: for products that would take the host too long. Keeps
/// a copy of A and B on the current device.
std::unique_ptr<Reference> sgemm_device_reference(
    const Shape& shape, const std::vector<std::span<const float>>& inputs);

/// Bytes of device memory that the latter takes, for pieces of the output of a few million
/// elements.
double sgemm_device_reference_bytes(const Shape& shape);

}  // namespace problem
