// Thread block clusters: blocks that run at the same time, close to each other, and can write into
// each other's shared memory. GPUs have them from compute capability 9.0 on.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "reduce.cuh"

constexpr int kMaxClusterBlocks = 8;  // that all of these GPUs allow

// In the shared memory of each block of a cluster: a value of every warp of all of them.
template <class T>
struct Told {
  T value[kMaxClusterBlocks][kWarpSize];  // of each block and warp
  std::uint64_t barrier;                  // counts the bytes that have arrived
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ inline unsigned cluster_blocks() {
  return cooperative_groups::this_cluster().num_blocks();
}

// Which block of its cluster this one is.
__device__ inline unsigned cluster_rank() {
  return cooperative_groups::this_cluster().block_rank();
}

__device__ inline unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// What lies at `p` in this block's shared memory, in that of another block.
__device__ inline unsigned address_in(unsigned rank, const void* p) {
  unsigned address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(p)), "r"(rank));
  return address;
}

// The others may write into `told` from now on. They may not before: a block that has not begun
// yet has no shared memory.
template <class T>
__device__ void join_cluster(Told<T>& told) {
  if (threadIdx.x == 0) {
    const unsigned bytes = cluster_blocks() * (blockDim.x / kWarpSize) * sizeof(T);
    const unsigned barrier = shared_address(&told.barrier);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
  }
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}

// After join_cluster(): puts the `value` of each warp into told.value[rank][warp] of every block of
// the cluster, and waits until all have arrived here. Nobody waits for what is still on its way to
// others, and nothing is on its way to a block that has it all and leaves.
template <class T>
__device__ void tell_cluster(const T& value, Told<T>& told) {
  static_assert(sizeof(T) == sizeof(std::uint64_t));
  const unsigned lane = threadIdx.x % kWarpSize;
  const unsigned warp = threadIdx.x / kWarpSize;
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");  // all blocks have joined
  if (lane < cluster_blocks()) {
    std::uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
                     address_in(lane, &told.value[cluster_rank()][warp])),
                 "l"(bits), "r"(address_in(lane, &told.barrier))
                 : "memory");
  }
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; "
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(shared_address(&told.barrier))
        : "memory");
  }
}
#else
// Elsewhere every block is a cluster of its own.
__device__ inline unsigned cluster_blocks() { return 1; }
__device__ inline unsigned cluster_rank() { return 0; }
template <class T>
__device__ void join_cluster(Told<T>&) {}
template <class T>
__device__ void tell_cluster(const T& value, Told<T>& told) {
  if (threadIdx.x % kWarpSize == 0) told.value[0][threadIdx.x / kWarpSize] = value;
  __syncthreads();
}
#endif

// The most blocks that a cluster of this kernel may have on the current device.
template <class Kernel>
int max_cluster_blocks(Kernel kernel) {
#ifdef __CUCPU__
  static_cast<void>(kernel);  // the CPU runs a block at a time
  return 1;
#else
  // What was compiled for an older GPU may run on this one, but knows nothing of clusters.
  cudaFuncAttributes attributes = {};
  cudaFuncGetAttributes(&attributes, kernel);
  return attributes.ptxVersion >= 90 ? kMaxClusterBlocks : 1;
#endif
}

// kernel<<<blocks, threads, 0, stream>>>(arguments...), of whose blocks every `cluster` in a row
// are a cluster.
template <class... Parameters, class... Arguments>
void launch_clusters(void (*kernel)(Parameters...), unsigned blocks, unsigned cluster,
                     unsigned threads, cudaStream_t stream, Arguments... arguments) {
#ifdef __CUCPU__
  static_cast<void>(cluster);
  kernel<<<blocks, threads, 0, stream>>>(arguments...);
#else
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {cluster, 1, 1};
  // Else clusters are kept apart, at the price of SMs that get no block.
  attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyLoadBalancing;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  cudaLaunchKernelEx(&config, kernel, arguments...);
#endif
}
