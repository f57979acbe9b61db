// State that the launcher and the rest of the runtime API share.
#pragma once

#include <cstddef>

#include "driver_types.h"

namespace cucpu {

// The last error of this host thread (cudaGetLastError); returns its argument.
cudaError_t record_error(cudaError_t error);
// Tells the observers that the function of the API that the host is in has failed; or, outside of
// one, a launch of `kernel`, behind which the host goes on at `returns_to`.
void report_error(cudaError_t error, const char* kernel = "", const void* returns_to = nullptr);
// The error that the first fault in a kernel leaves behind: every later call returns it until
// cudaDeviceReset. Set from any thread.
void set_sticky_error(cudaError_t error);
// No tool reports the fault that the launch is about to end with: an assertion, or __trap().
void expect_no_finding();
void clear_sticky_error();
cudaError_t sticky_error();

// Whether the stream exists: null, the two that CUDA predefines, and those not yet destroyed.
bool is_live_stream(cudaStream_t stream);
// Whether this created stream and the legacy default stream wait for each other.
bool is_blocking_stream(cudaStream_t stream);
// Whether this thread of the host runs a function that was given to a stream. Such a function may
// not call the runtime API.
bool in_host_function();

// Dynamic shared memory that cudaFuncSetAttribute has allowed this kernel, or the default limit.
std::size_t max_dynamic_shared_bytes(const void* kernel);
// Static and dynamic shared memory together that this kernel may have.
std::size_t max_shared_bytes(const void* kernel);
// Blocks of this many threads and this much shared memory that fit on the device at once.
int max_resident_blocks(unsigned threads, std::size_t shared_bytes);

// Threads of the host that run blocks.
int worker_count();
// The number that the device reports: as many, unless CUCPU_SMS says otherwise.
int multiprocessor_count();
// Bytes of a CUDA thread's stack, and the request for another size (cudaLimitStackSize).
std::size_t thread_stack_bytes();
void set_thread_stack_bytes(std::size_t bytes);

}  // namespace cucpu
