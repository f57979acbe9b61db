// The steps that every function of the runtime API takes around its own work.
#pragma once

#include "state.h"

namespace cucpu {

// Runs `body`, which returns a cudaError_t, unless an earlier fault is still there; the error also
// becomes the last one.
template <class Body>
cudaError_t api_call(Body body) {
  if (const cudaError_t earlier = sticky_error(); earlier != cudaSuccess) return earlier;
  if (in_host_function()) return record_error(cudaErrorNotPermitted);
  return record_error(body());
}

// Calls that only need something to be true.
inline cudaError_t invalid_unless(bool valid) {
  return valid ? cudaSuccess : cudaErrorInvalidValue;
}

// Memory of the pool has been given back.
void note_pool_free(cudaMemPool_t pool, std::size_t bytes);

// The parts of cudaDeviceReset.
void destroy_streams();
void destroy_events();
void reset_kernel_attributes();
void reset_limits();
void reset_pools();

}  // namespace cucpu
