// How a block learns that all others have stored their results.
#pragma once

#include <cuda_runtime.h>

#include <cuda/atomic>

// Whether this block is the last one to arrive. It then sees everything any block stored before:
// acq_rel is the count and both fences of reduce_last_block. One thread calls it.
__device__ inline bool is_last_arrival(unsigned* blocks_done) {
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(*blocks_done);
  return done.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
}
