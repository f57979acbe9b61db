// The steps that every function of the runtime API takes around its own work.
#pragma once

#include <optional>

#include "observer.h"
#include "state.h"

namespace cucpu {

// This thread of the host is in a function of the API while the object exists. A function that
// another one calls counts as part of that one.
class ApiCall {
 public:
  // `returns_to`: where the host's code goes on, an address.
  ApiCall(const char* function, const void* returns_to);
  ~ApiCall();
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;

  // Records the error, and tells the observers of it. Returns its argument.
  cudaError_t end(cudaError_t error);
  // The observers have been told of the error of the current call.
  static void mark_reported();
  // The outermost call that this thread of the host is in.
  static ApiCaller caller();
  // The same, if initcheck is to check its copies.
  static std::optional<ApiCaller> checked_caller();

 private:
  const bool is_outermost_;
};

// Runs `body`, which returns a cudaError_t, unless an earlier fault is still there; the error also
// becomes the last one.
template <class Body>
cudaError_t api_call(Body body, const char* function = __builtin_FUNCTION(),
                     const void* returns_to = __builtin_return_address(0)) {
  ApiCall call(function, returns_to);
  if (const cudaError_t earlier = sticky_error(); earlier != cudaSuccess) return call.end(earlier);
  return call.end(in_host_function() ? cudaErrorNotPermitted : body());
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
