// In which order the work of streams is done: a stream's own in the order it is given, that of
// different streams at once, except round the legacy default stream, which waits for all blocking
// streams and they for it.
#pragma once

#include <functional>
#include <memory>

#include "driver_types.h"
#include "operation.h"

namespace cucpu {

// Gives the stream, which exists, something to do.
void enqueue_launch(cudaStream_t stream, std::unique_ptr<Grid> grid);
OperationRef enqueue(cudaStream_t stream, std::function<void()> action);
// Something that takes no time; done by whoever notices that its turn has come.
OperationRef enqueue_short(cudaStream_t stream, std::function<void()> action);
// Later operations of the stream also wait for this one.
void enqueue_wait(cudaStream_t stream, const OperationRef& operation);

// The kernel of a launch that waits only because tools watch one launch at a time; null if there is
// none.
const char* launch_held_up();

// Whether anything given to the stream, now, would be done at once.
bool is_idle(cudaStream_t stream);
// Waits for what something given to the stream, now, would have to wait for.
void wait_for_stream(cudaStream_t stream);
// Waits for everything that has been given to any stream.
void wait_for_all();
void wait_for(const OperationRef& operation);

}  // namespace cucpu
