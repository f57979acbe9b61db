// Who watches what CUDA threads do. A traced program (../trace) has observers, others have none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cucpu/dim3.h"
#include "cucpu/site.h"
#include "driver_types.h"

namespace cucpu {

class FiberPool;
class Grid;

// A CUDA thread comes to a point at which it may have to wait for others.
struct Arrival {
  bool block;          // for the block, else for lanes of its warp
  std::uint32_t mask;  // of those lanes
  const char* what;    // "__syncthreads", "__shfl_xor_sync", ...
  Site site;
  bool again = false;       // a second time for the same barrier
  std::uint64_t value = 0;  // that it brings to those lanes
};

// Watches one worker, whose thread of the host makes all calls. An observer overrides what it wants
// to know.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin_launch(const Grid& /*grid*/, const FiberPool& /*fibers*/) {}
  virtual void begin_block() {}
  virtual void shared_variable(const void* /*variable*/, std::size_t /*bytes*/) {}
  // The running CUDA thread arrives somewhere. (Down to bad_device_free(), "it" is this thread.)
  virtual void arrive(const Arrival& /*arrival*/) {}
  // It lets others run, without having arrived anywhere.
  virtual void yield() {}
  // It comes to a `return;`, of its kernel or of a function that the kernel calls.
  virtual void leave_early() {}
  virtual void exit_thread() {}
  // It asks for an asynchronous copy of `bytes` bytes to the beginning of `to_bytes` others, in one
  // instruction; `code`: where the call returns to.
  virtual void copy(void* /*to*/, std::size_t /*to_bytes*/, const void* /*from*/,
                    std::size_t /*bytes*/, const void* /*code*/) {}
  // It has waited for a copy, which has been made.
  virtual void copied(void* /*to*/, std::size_t /*to_bytes*/, const void* /*code*/) {}
  // It has come to a fence, for all threads or `for_block_only`.
  virtual void fence(bool /*for_block_only*/) {}
  // It releases or acquires an object in shared memory. A thread that acquires the object after a
  // release knows what the releasing thread did before.
  virtual void release(const void* /*object*/) {}
  virtual void acquire(const void* /*object*/) {}
  // It frees an address at which no memory of the device's heap begins, or no longer. Returns
  // whether that is reported: then the launch goes on without freeing it.
  virtual bool bad_device_free(std::uintptr_t /*address*/, bool /*was_freed*/, Site /*site*/) {
    return false;
  }
  // All threads of the block that have not exited have met at a barrier.
  virtual void block_met() {}
  // Those lanes of a warp that are in the mask and have not exited have met in an exchange.
  virtual void lanes_met(unsigned /*warp*/, std::uint32_t /*mask*/, const char* /*what*/) {}
  // Lanes of the warp wait forever: a line for the report on how that may have happened, or
  // nothing.
  virtual std::string how_out_of_step(unsigned /*warp*/) const { return {}; }
  // All threads of the grid have met.
  virtual void grid_met() {}
  virtual void end_block() {}
  // The worker has no more blocks of this launch.
  virtual void end_launch() {}
};

// The faults that end a launch because its threads do not meet as they should.
enum class SyncFault { barrier_divergence, invalid_mask, deadlock };

// A call of a function of the API.
struct ApiCaller {
  const char* function = nullptr;    // "cudaMemcpy"
  const void* returns_to = nullptr;  // where the host's code goes on, an address
};

struct ApiError {
  ApiCaller caller;
  cudaError_t error;
  const char* kernel;  // whose launch failed, or ""
};

// A copy that a call has asked for, or one row of it.
struct ApiCopy {
  ApiCaller caller;
  const void* begin;  // of the source
  std::size_t bytes;
};

// Watches all launches; there is at most one in a process.
class ObserverFactory {
 public:
  virtual ~ObserverFactory() = default;
  // For a new worker.
  virtual std::unique_ptr<Observer> make() = 0;
  // Whether it wants to see this launch at all.
  virtual bool wants(const Grid& grid) = 0;
  // A fault of the launch that is under way, at `site`; `other`: where other threads wait.
  virtual void sync_fault(const Grid& /*grid*/, SyncFault /*fault*/, Site /*site*/,
                          Site /*other*/) {}
  // Memory of the device is given back.
  virtual void freed(const void* /*begin*/, std::size_t /*bytes*/) {}
  // The host asked to free something that is not an allocation, or no longer one.
  virtual void bad_free(const ApiCaller& /*caller*/, const void* /*pointer*/) {}
  // A function of the API has failed, other than by a fault in a kernel that tools find.
  virtual void api_error(const ApiError& /*error*/) {}
  // A function of the API is about to copy.
  virtual void copy_from(const ApiCopy& /*copy*/) {}
  // All workers have ended the launch.
  virtual void end_launch(const Grid& /*grid*/) {}
};
extern ObserverFactory* observers;

// The observer of this thread of the host while it runs blocks of a launch that is watched.
// Asked for at each access: the model of thread-local storage that needs no call.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Observer* this_observer;

// Whether that observer is at work for an access of the kernel. No signal handler may give up the
// block then: the observer's locks would be lost, and what it had half changed would stay so.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local volatile bool observer_at_work;
// Whether a handler has asked that the block be given up as soon as the observer is done.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local volatile bool end_is_due;
void end_if_due();

class ObserverAtWork {
 public:
  ObserverAtWork() {
    observer_at_work = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~ObserverAtWork() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    observer_at_work = false;
    if (end_is_due) [[unlikely]]
      end_if_due();
  }
  ObserverAtWork(const ObserverAtWork&) = delete;
};

}  // namespace cucpu
