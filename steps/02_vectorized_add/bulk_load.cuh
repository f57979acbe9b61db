// Two tiles of floats on their way to shared memory: by the copy engine where there is one (sm_90),
// else by asynchronous copies of the threads.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kBulkTile = 768;  // floats of each vector that a block takes
constexpr int kBulkBlockSize = 256;
constexpr int kBulkPack = 4;

// A tile of each vector, on its way to shared memory. To be constructed and waited for by all
// threads of a block.
class BulkLoad {
 public:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // One thread starts the engine, which copies all of it and counts the bytes in a barrier.
  __device__ BulkLoad(float* to_a, float* to_b, const float* a, const float* b,
                      std::uint64_t* barrier)
      : barrier_(shared_address(barrier)) {
    constexpr unsigned kBytes = kBulkTile * sizeof(float);
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier_) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // to be seen by the engine
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier_),
                   "r"(2 * kBytes)
                   : "memory");
      copy(to_a, a, kBytes);
      copy(to_b, b, kBytes);
    }
    __syncthreads();  // the barrier is there to be waited at
  }

  __device__ void wait() const {
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{\n"
          ".reg .pred p;\n"
          "mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n"
          "selp.u32 %0, 1, 0, p;\n"
          "}"
          : "=r"(done)
          : "r"(barrier_)
          : "memory");
    }
  }

 private:
  static __device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
  }
  __device__ void copy(float* to, const float* from, unsigned bytes) const {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(barrier_)
        : "memory");
  }

  unsigned barrier_;
#else
  // Without an engine, each thread starts the copy of a pack.
  __device__ BulkLoad(float* to_a, float* to_b, const float* a, const float* b, std::uint64_t*) {
    if (threadIdx.x < kBulkTile / kBulkPack) {
      const int first = threadIdx.x * kBulkPack;
      __pipeline_memcpy_async(to_a + first, a + first, sizeof(float4));
      __pipeline_memcpy_async(to_b + first, b + first, sizeof(float4));
    }
    __pipeline_commit();
  }

  // A thread adds the packs that it has copied itself.
  __device__ void wait() const { __pipeline_wait_prior(0); }
#endif
};
